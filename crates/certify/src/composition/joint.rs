//! Every exact total that was ever released of one dataset, as conditions on one common table.
//!
//! What each release discloses alone is known; together their totals may disclose more. The true table satisfies all of them at
//! once, so whoever reads all releases knows that it lies in the fibre of these conditions. What cannot be joined is said.

use super::lift::{Common, lifted, used};
use declare::{Conditions, Declaration, Domain, Footprint, Grouping, Policy, Problem, RuleRows};
use std::collections::BTreeSet;

/// A common table has at most so many combinations of values.
pub const MOST_JOINT_CELLS: usize = 100_000;

/// The table of a single release may be larger: only what its totals look at enters the common table.
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
    /// The cells of the common table; combinations that any release declares impossible are left out.
    pub domain: Domain,
    /// The common table in words.
    pub description: String,
    /// The earlier releases whose totals are among the conditions.
    pub joined: Vec<String>,
    /// Those whose totals are not.
    pub left_out: Vec<LeftOut>,
}

/// A release and the dimensions that it brings to the common table.
struct Member<'a> {
    name: &'a str,
    declaration: &'a Declaration,
    totals: &'a [Vec<i64>],
    kept: BTreeSet<usize>,
}

impl Member<'_> {
    /// Whether another release says the same about the true table: most differ in their noise alone.
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

/// The totals of a release that is about to be made and of all earlier ones, as conditions on one table.
///
/// # Errors
/// Refused when the totals of the release itself look at a table of more than [`MOST_JOINT_CELLS`] cells; bad when it is not
/// a release that could be made.
pub fn joint(current: (&Declaration, &[Vec<i64>]), earlier: &[EarlierRelease]) -> Result<Joint, Problem> {
    let parsed: Vec<Result<Declaration, Problem>> =
        earlier.iter().map(|release| Declaration::parse_alone(&release.spec, &release.name)).collect();
    // Nearly always everything fits; where something does not, one release after another shows which.
    match gathered(current, earlier, &parsed, false)? {
        Ok(joint) => Ok(joint),
        Err(_) => gathered(current, earlier, &parsed, true)?.map_err(refused),
    }
}

fn refused(reason: String) -> Problem {
    Problem::refused(format!("what this release discloses with others is not known: {reason}"))
        .hint("use coarser values, or fewer dimensions in the exact totals")
}

/// Joins what can be joined; with `carefully`, whether its totals fit those before is looked at for every release by itself. The
/// inner error is why the releases do not fit each other.
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
    let mut common = sized(&members).map_err(refused)?;
    let (mut joined, mut left_out) = (Vec::new(), Vec::new());
    for (release, parsed) in earlier.iter().zip(parsed) {
        let fits = match parsed {
            Err(problem) => Err(format!("its spec cannot be read: {}", problem.message)),
            Ok(other) if members.iter().any(|member| member.says_what(other, &release.totals)) => Ok(()),
            Ok(other) => alike(declaration, other).and_then(|()| {
                let kept = used(other);
                let nothing_new = common.has(other, &kept)?;
                members.push(Member { name: &release.name, declaration: other, totals: &release.totals, kept });
                let fits = if nothing_new { Ok(common.clone()) } else { sized(&members) };
                let fits =
                    fits.and_then(|grown| if carefully { assembled(&members).map(|_| grown) } else { Ok(grown) });
                if fits.is_err() {
                    members.pop();
                }
                common = fits?;
                Ok(())
            }),
        };
        match fits {
            Ok(()) => joined.push(release.name.clone()),
            Err(reason) => left_out.push(LeftOut { name: release.name.clone(), reason }),
        }
    }
    Ok(assembled(&members).map(|(conditions, totals, domain, description)| Joint {
        conditions,
        totals,
        domain,
        description,
        joined,
        left_out,
    }))
}

/// Whether two releases count the same things in the same rows.
fn alike(one: &Declaration, other: &Declaration) -> Result<(), String> {
    let (ours, theirs) = (&one.data, &other.data);
    let rows = |filter: &Option<declare::Expression>| {
        filter.as_ref().map_or("all rows".to_string(), |filter| format!("rows where {filter}"))
    };
    if ours.filter != theirs.filter {
        return Err(format!("it counts {}, this release {}", rows(&theirs.filter), rows(&ours.filter)));
    }
    let counted = |declaration: &Declaration| {
        let measures = declaration.schema.measures().map(|(_, columns, _)| columns.to_vec());
        (declaration.data.count.clone(), measures)
    };
    if counted(one) != counted(other) {
        return Err("it counts another column of the data than this release".to_string());
    }
    if ours.negative != theirs.negative {
        return Err("it reads counts below zero in another way than this release".to_string());
    }
    let drops = |policy: Policy| policy == Policy::Drop;
    let dropped = |data: &declare::Data| (drops(data.outside), drops(data.missing));
    if dropped(ours) == (false, false) && dropped(theirs) == (false, false) {
        return Ok(());
    }
    // What is dropped depends on the dimensions: the same ones drop the same rows.
    let mut columns = [one, other].map(|declaration| {
        let dimensions = declaration.schema.dimensions.iter();
        dimensions.map(|dimension| (dimension.column.clone(), format!("{:?}", dimension.values))).collect::<Vec<_>>()
    });
    columns.iter_mut().for_each(|columns| columns.sort());
    match dropped(ours) == dropped(theirs) && columns[0] == columns[1] {
        true => Ok(()),
        false => Err("it leaves out other rows than this release (outside or missing = \"drop\")".to_string()),
    }
}

/// The common table of these releases, if it is small enough.
fn sized(members: &[Member]) -> Result<Common, String> {
    let common = common(members)?;
    match common.combinations() {
        Some(cells) if cells <= MOST_JOINT_CELLS => Ok(common),
        Some(cells) => Err(format!(
            "the common table {} would have {cells} cells, more than {MOST_JOINT_CELLS}",
            common.in_words()
        )),
        None => Err(format!("the common table {} would have too many cells", common.in_words())),
    }
}

fn common(members: &[Member]) -> Result<Common, String> {
    let releases: Vec<_> = members.iter().map(|member| (member.declaration, member.kept.clone())).collect();
    Common::of(&releases)
}

type Assembled = (Conditions, Vec<Vec<i64>>, Domain, String);

/// The conditions of all releases on their common table.
fn assembled(members: &[Member]) -> Result<Assembled, String> {
    let common = common(members)?;
    let schema = common.schema();
    let combinations = schema.combinations().unwrap_or(usize::MAX);
    let mut own = Vec::with_capacity(members.len());
    for Member { declaration, kept, .. } in members {
        if declaration.schema.combinations().is_none_or(|cells| cells > MOST_OWN_CELLS) {
            return Err(format!("its own table has more than {MOST_OWN_CELLS} combinations"));
        }
        let domain = declaration.domain().map_err(|problem| problem.message)?;
        own.push((domain, common.lift(declaration, kept)?));
    }
    let everything = Domain::new(schema.clone(), combinations, None);
    let mut zero = vec![false; combinations];
    for (domain, lift) in &own {
        let cells = lift.cells(&everything, domain);
        zero.iter_mut().zip(cells).for_each(|(zero, cell)| *zero |= cell.is_none());
    }
    if zero.iter().all(|zero| *zero) {
        return Err("no combination is possible in all releases".to_string());
    }
    let domain = Domain::new(schema, combinations, Some(zero));
    let mut sums = Sums::default();
    for (member, (own, lift)) in members.iter().zip(&own) {
        let conditions = member.declaration.conditions(own).map_err(|problem| problem.message)?;
        sums.add(member, &conditions, &lift.cells(&domain, own))?;
    }
    let description = format!("{} ({} cells)", common.in_words(), domain.len());
    let Sums { invariants, totals, rules } = sums;
    let conditions = Conditions {
        cells: domain.len(),
        pinned: vec![None; invariants.len()],
        invariants,
        rules,
        queries: Vec::new(),
        // Readers of data refuse counts below zero or count them as zero, whatever the release may be like.
        nonnegative: true,
        footprint: Footprint::OneCell,
    };
    Ok((conditions, totals, domain, description))
}

/// Totals and rules on the common table, each once.
#[derive(Default)]
struct Sums {
    invariants: Vec<Grouping>,
    totals: Vec<Vec<i64>>,
    rules: Vec<RuleRows>,
}

impl Sums {
    fn add(&mut self, member: &Member, conditions: &Conditions, cells: &[Option<usize>]) -> Result<(), String> {
        let shapes = conditions.invariants.iter().map(Grouping::groups);
        if !shapes.eq(member.totals.iter().map(Vec::len)) {
            return Err("its totals are not those of its spec".to_string());
        }
        let sums = conditions.invariants.iter().zip(&conditions.pinned).zip(member.totals);
        // Pinned totals are those of the release, not of the true table.
        for ((grouping, _), values) in sums.filter(|((_, pinned), _)| pinned.is_none()) {
            let (lifted, stay) = lifted(grouping, cells);
            let mut stays = vec![false; values.len()];
            stay.iter().for_each(|group| stays[*group] = true);
            let gone = (0..values.len()).find(|group| values[*group] != 0 && !stays[*group]);
            if let Some(group) = gone {
                return Err(format!("`{}` is not zero, but no other release has room for it", grouping.names[group]));
            }
            let values: Vec<i64> = stay.iter().map(|group| values[*group]).collect();
            let same = |known: &&Grouping| known.group_of == lifted.group_of && known.times == lifted.times;
            match self.invariants.iter().position(|known| same(&known)) {
                Some(known) if self.totals[known] == values => {}
                Some(_) => {
                    return Err(format!("its totals `{}` are others than those of another release", grouping.label));
                }
                None => {
                    let label = format!("{} ({})", lifted.label, member.name);
                    self.invariants.push(Grouping { label, ..lifted });
                    self.totals.push(values);
                }
            }
        }
        for rule in &conditions.rules {
            let (grouping, _) = lifted(&rule.grouping, cells);
            let row = RuleRows { grouping, relation: rule.relation, bound: rule.bound };
            if !self.rules.contains(&row) {
                self.rules.push(row);
            }
        }
        Ok(())
    }
}
