//! Every exact total that was ever released of one dataset, as conditions on one common table.
//!
//! What each release discloses alone is known; together their totals may disclose more. The true
//! table satisfies all of them at once, so whoever reads all releases knows that it lies in the
//! fibre of these conditions. What cannot be joined is said.

use super::classes::counted;
use super::lift::{Common, Place, lifted, used};
use declare::{Conditions, Data, Declaration, Domain, Grouping, NO_GROUP, Policy, Problem, RuleRows};
use std::collections::{BTreeSet, HashMap};

/// A common table has at most so many combinations of values.
pub const MOST_JOINT_CELLS: usize = 100_000;

/// The table of a single release may be larger: only what its totals look at enters the common
/// table.
const MOST_OWN_CELLS: usize = 1 << 22;

/// A release that was made before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierRelease {
    /// What messages call it, for example its entry in the ledger.
    pub name: String,
    /// Its canonical spec.
    pub spec: String,
    /// The values of its exact totals, in the order of its conditions, pinned ones included.
    pub totals: Vec<Vec<i64>>,
}

/// A release that could not be joined, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The release.
    pub name: String,
    /// Why its totals are not among the conditions.
    pub reason: String,
}

/// What all releases say about the true table, together.
#[derive(Debug, Clone)]
pub struct Joint {
    /// All their totals and rules as conditions on the common table. Counts are never negative.
    pub conditions: Conditions,
    /// The value of every total, as `conditions.invariants` has them.
    pub totals: Vec<Vec<i64>>,
    /// The cells of the common table; combinations that any release declares impossible are left
    /// out.
    pub domain: Domain,
    /// The common table in words.
    pub description: String,
    /// The earlier releases whose totals are among the conditions.
    pub joined: Vec<String>,
    /// Those whose totals are not.
    pub left_out: Vec<LeftOut>,
    common: Common,
}

/// The cells of one table as the common table shows them: each is a sum of its cells, or a part of
/// such a sum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// The sum that every cell of the common table belongs to, or [`NO_GROUP`].
    pub group_of: Vec<u32>,
    /// The sum that every cell of the table is, or is a part of.
    pub group_of_cell: Vec<u32>,
    /// How many sums there are.
    pub groups: usize,
    /// Whether cells are parts of these sums, which no total tells apart from the other parts.
    pub are_parts: bool,
}

impl Joint {
    /// The cells of a release's table; `None` when the common table does not tell which rows it
    /// counts.
    pub fn view(&self, declaration: &Declaration, own: &Domain) -> Option<View> {
        let lift = self.common.lift(declaration).ok()?;
        let seated: Vec<usize> = lift.seated().collect();
        let mut groups: HashMap<Vec<usize>, u32> = HashMap::new();
        let mut group_of_cell = Vec::with_capacity(own.len());
        let mut walk = own.walk();
        while let Some((_, codes)) = walk.advance() {
            let key = seated.iter().map(|dimension| codes[*dimension]).collect();
            let next = groups.len() as u32;
            group_of_cell.push(*groups.entry(key).or_insert(next));
        }
        let mut group_of = Vec::with_capacity(self.domain.len());
        let mut codes = vec![0; own.schema.dimensions.len()];
        let mut walk = self.domain.walk();
        while let Some((_, classes)) = walk.advance() {
            let group = lift.codes(&self.common, classes, &mut codes).ok().and_then(|()| {
                let key: Vec<usize> = seated.iter().map(|dimension| codes[*dimension]).collect();
                groups.get(&key).copied()
            });
            group_of.push(group.unwrap_or(NO_GROUP));
        }
        let are_parts = seated.len() < own.schema.dimensions.len();
        Some(View { group_of, group_of_cell, groups: groups.len(), are_parts })
    }
}

/// A release and the dimensions that it brings to the common table.
struct Member<'a> {
    name: &'a str,
    declaration: &'a Declaration,
    totals: &'a [Vec<i64>],
    kept: BTreeSet<usize>,
}

impl Member<'_> {
    /// Whether another release says the same about the true table: most differ in their noise
    /// alone.
    fn says_what(&self, other: &Declaration, totals: &[Vec<i64>]) -> bool {
        let Declaration { data, schema, invariants, constraints, .. } = self.declaration;
        self.totals == totals
            && *data == other.data
            && *schema == other.schema
            && *invariants == other.invariants
            && *constraints == other.constraints
            && self.declaration.mechanism.method == other.mechanism.method
    }
}

/// The totals of a release that is about to be made and of all earlier ones, as conditions on one
/// table.
///
/// # Errors
/// Refused when the totals of the release itself look at a table of more than [`MOST_JOINT_CELLS`]
/// cells; bad when it is not a release that could be made.
pub fn joint(current: (&Declaration, &[Vec<i64>]), earlier: &[EarlierRelease]) -> Result<Joint, Problem> {
    let parsed: Vec<Result<Declaration, Problem>> =
        earlier.iter().map(|release| Declaration::parse_alone(&release.spec, &release.name)).collect();
    // Nearly always everything fits; where something does not, one release after another shows
    // which.
    match gathered(current, earlier, &parsed, false)? {
        Ok(joint) => Ok(joint),
        Err(_) => gathered(current, earlier, &parsed, true)?.map_err(refused),
    }
}

fn refused(reason: String) -> Problem {
    Problem::refused(format!("what this release discloses with others is not known: {reason}"))
        .hint("use coarser values, or fewer dimensions in the exact totals")
}

/// Joins what can be joined; with `carefully`, whether it fits those before is looked at for every
/// release by itself. The inner error is why the releases do not fit each other.
fn gathered(
    (declaration, totals): (&Declaration, &[Vec<i64>]),
    earlier: &[EarlierRelease],
    parsed: &[Result<Declaration, Problem>],
    carefully: bool,
) -> Result<Result<Joint, String>, Problem> {
    let all = (0..declaration.schema.dimensions.len()).collect();
    let whole = |kept| Member { name: "this release", declaration, totals, kept };
    let mut members = vec![whole(all)];
    if sized(&members).is_err() {
        members = vec![whole(used(declaration))];
    }
    sized(&members).map_err(refused)?;
    let (mut joined, mut left_out) = (Vec::new(), Vec::new());
    for (release, parsed) in earlier.iter().zip(parsed) {
        let fits = match parsed {
            Err(problem) => Err(format!("its spec cannot be read: {}", problem.message)),
            Ok(other) if members.iter().any(|member| member.says_what(other, &release.totals)) => Ok(()),
            Ok(other) => alike(declaration, other).and_then(|()| {
                members.push(Member {
                    name: &release.name,
                    declaration: other,
                    totals: &release.totals,
                    kept: used(other),
                });
                let fits = if carefully { assembled(&members).map(drop) } else { Ok(()) };
                if fits.is_err() {
                    members.pop();
                }
                fits
            }),
        };
        match fits {
            Ok(()) => joined.push(release.name.clone()),
            Err(reason) => left_out.push(LeftOut { name: release.name.clone(), reason }),
        }
    }
    Ok(assembled(&members).map(|joint| Joint { joined, left_out, ..joint }))
}

/// Whether two releases count the same things: which rows they count is told by their filters, what
/// they count is not.
fn alike(one: &Declaration, other: &Declaration) -> Result<(), String> {
    if one.data.encoding != other.data.encoding {
        return Err("its files are read in another encoding, so that the same text may be another value".to_string());
    }
    let (ours, theirs) = (counted(one), counted(other));
    match theirs.iter().any(|counted| ours.contains(counted)) {
        true => Ok(()),
        false => Err("it counts another column of the data than this release".to_string()),
    }
}

/// Whether two releases count the same rows of what both count: those that choose among the rows of
/// a unit must choose among the same rows, as many.
fn chooses_alike(one: &Declaration, other: &Declaration) -> bool {
    let chooses = |release: &Declaration| release.data.beyond == Policy::Drop;
    if !chooses(one) && !chooses(other) {
        return true;
    }
    let rows = |release: &Declaration| {
        let Data { filter, outside, missing, unit, rows_per_unit, beyond, date_formats, .. } = release.data.clone();
        (filter, outside, missing, unit, rows_per_unit, beyond, date_formats)
    };
    // Where all rows are declared to be inside the domain, the domain leaves none out.
    let leaves_none_out = |release: &Declaration| {
        let Data { outside, missing, .. } = &release.data;
        [outside, missing] == [&Policy::Error; 2] && release.constraints.zero.is_empty()
    };
    let same_domain = one.schema == other.schema && one.constraints.zero == other.constraints.zero;
    rows(one) == rows(other) && (same_domain || (leaves_none_out(one) && leaves_none_out(other)))
}

/// The common table of these releases, if it is small enough.
fn sized(members: &[Member]) -> Result<Common, String> {
    let releases: Vec<_> = members.iter().map(|member| (member.declaration, member.kept.clone())).collect();
    let common = Common::of(&releases)?;
    match common.combinations() {
        Some(cells) if cells <= MOST_JOINT_CELLS => Ok(common),
        Some(cells) => Err(format!(
            "the common table {} would have {cells} cells, more than {MOST_JOINT_CELLS}",
            common.in_words()
        )),
        None => Err(format!("the common table {} would have too many cells", common.in_words())),
    }
}

/// The conditions of all releases on their common table.
fn assembled(members: &[Member]) -> Result<Joint, String> {
    let common = sized(members)?;
    let schema = common.schema();
    let combinations = schema.combinations().unwrap_or(usize::MAX);
    let mut own = Vec::with_capacity(members.len());
    for Member { declaration, .. } in members {
        if declaration.schema.combinations().is_none_or(|cells| cells > MOST_OWN_CELLS) {
            return Err(format!("its own table has more than {MOST_OWN_CELLS} combinations"));
        }
        let domain = declaration.domain().map_err(|problem| problem.message)?;
        own.push((domain, common.lift(declaration)?));
    }
    let everything = Domain::new(schema.clone(), combinations, None);
    let mut zero = vec![false; combinations];
    let mut counted = vec![false; combinations];
    for (number, (domain, lift)) in own.iter().enumerate() {
        let places = lift.places(&common, &everything, domain);
        for (earlier, (domain, lift)) in own[..number].iter().enumerate() {
            if chooses_alike(members[earlier].declaration, members[number].declaration) {
                continue;
            }
            let theirs = lift.places(&common, &everything, domain);
            let both = |(one, other): (&Place, &Place)| matches!((one, other), (Place::Cell(_), Place::Cell(_)));
            if theirs.iter().zip(&places).any(both) {
                return Err(
                    "of units with more rows than are counted it may count others than this release".to_string()
                );
            }
        }
        for (cell, place) in places.into_iter().enumerate() {
            zero[cell] |= place == Place::Impossible;
            counted[cell] |= matches!(place, Place::Cell(_));
        }
    }
    // Rows that no release counts are nobody's concern.
    zero.iter_mut().zip(counted).for_each(|(zero, counted)| *zero |= !counted);
    if zero.iter().all(|zero| *zero) {
        return Err("no combination is possible in all releases".to_string());
    }
    let domain = Domain::new(schema, combinations, Some(zero));
    // Readers of data refuse counts below zero or count them as zero, whatever the release may be
    // like.
    let conditions = Conditions { nonnegative: true, ..Conditions::of_totals(domain.len(), Vec::new()) };
    let description = format!("{} ({} cells)", common.in_words(), domain.len());
    let (joined, left_out) = (Vec::new(), Vec::new());
    let mut joint = Joint { conditions, totals: Vec::new(), domain, description, joined, left_out, common };
    for (member, (own, lift)) in members.iter().zip(&own) {
        let conditions = member.declaration.conditions(own).map_err(|problem| problem.message)?;
        let places = lift.places(&joint.common, &joint.domain, own);
        joint.add(member, &conditions, &places)?;
    }
    Ok(joint)
}

impl Joint {
    /// Adds totals and rules, each once.
    fn add(&mut self, member: &Member, conditions: &Conditions, places: &[Place]) -> Result<(), String> {
        let shapes = conditions.invariants.iter().map(Grouping::groups);
        if !shapes.eq(member.totals.iter().map(Vec::len)) {
            return Err("its totals are not those of its spec".to_string());
        }
        let sums = conditions.invariants.iter().zip(&conditions.pinned).zip(member.totals);
        // Pinned totals are those of the release, not of the true table.
        for ((grouping, _), values) in sums.filter(|((_, pinned), _)| pinned.is_none()) {
            let (lifted, stay) = lifted(grouping, places);
            let mut stays = vec![false; values.len()];
            stay.iter().for_each(|group| stays[*group] = true);
            let gone = (0..values.len()).find(|group| values[*group] != 0 && !stays[*group]);
            if let Some(group) = gone {
                return Err(format!("`{}` is not zero, but no other release has room for it", grouping.names[group]));
            }
            let values: Vec<i64> = stay.iter().map(|group| values[*group]).collect();
            let same = |known: &&Grouping| known.group_of == lifted.group_of && known.times == lifted.times;
            match self.conditions.invariants.iter().position(|known| same(&known)) {
                Some(known) if self.totals[known] == values => {}
                Some(_) => {
                    return Err(format!("its totals `{}` are others than those of another release", grouping.label));
                }
                None => {
                    let label = format!("{} ({})", lifted.label, member.name);
                    self.conditions.invariants.push(Grouping { label, ..lifted });
                    self.conditions.pinned.push(None);
                    self.totals.push(values);
                }
            }
        }
        for rule in &conditions.rules {
            let (grouping, _) = lifted(&rule.grouping, places);
            let row = RuleRows { grouping, relation: rule.relation, bound: rule.bound };
            if !self.conditions.rules.contains(&row) {
                self.conditions.rules.push(row);
            }
        }
        Ok(())
    }
}
