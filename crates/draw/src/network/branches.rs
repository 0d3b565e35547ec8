//! `Branches`: small parts whose weights are made together, kept while there is room, and otherwise
//! made again when needed.

use analyse::{Join, MadeOf};

/// The most cells of a branch: few enough that making it again costs little more than drawing it.
const BRANCH_CELLS: usize = 64;

/// How the parts of a network are cut: branches at the bottom, and the parts above them by height.
#[derive(Debug)]
pub(crate) struct Branches {
    /// The parts of every branch in the order in which they are made, its top last.
    pub branches: Vec<Vec<u32>>,
    /// For every part the branch it lies in, or [`NO_BRANCH`].
    pub branch_of: Vec<u32>,
    /// The parts above branches: those of one height need only lower ones.
    pub above: Vec<Vec<u32>>,
}

/// The branch of a part above all branches.
pub(crate) const NO_BRANCH: u32 = u32::MAX;

impl Branches {
    /// Cuts the parts of a network.
    pub(crate) fn new(joins: &[Join]) -> Self {
        let small = |join: &Join| join.cells <= BRANCH_CELLS || matches!(join.made_of, MadeOf::Class(_));
        let mut branch_of = vec![NO_BRANCH; joins.len()];
        let mut branches = 0u32;
        // From the last part down: a small part whose user is not small is the top of a branch.
        for (number, join) in joins.iter().enumerate().rev() {
            if !small(join) {
                continue;
            }
            if branch_of[number] == NO_BRANCH {
                branch_of[number] = branches;
                branches += 1;
            }
            if let MadeOf::Parts(first, second) = join.made_of {
                branch_of[first as usize] = branch_of[number];
                branch_of[second as usize] = branch_of[number];
            }
        }
        let mut members = vec![Vec::new(); branches as usize];
        let mut height = vec![0usize; joins.len()];
        let mut above: Vec<Vec<u32>> = Vec::new();
        for (number, join) in joins.iter().enumerate() {
            if branch_of[number] != NO_BRANCH {
                members[branch_of[number] as usize].push(number as u32);
            } else if let MadeOf::Parts(first, second) = join.made_of {
                height[number] = 1 + height[first as usize].max(height[second as usize]);
                above.resize(above.len().max(height[number]), Vec::new());
                above[height[number] - 1].push(number as u32);
            }
        }
        Branches { branches: members, branch_of, above }
    }
}

#[cfg(test)]
mod tests {
    use super::{BRANCH_CELLS, Branches, NO_BRANCH};
    use analyse::{Join, MadeOf};

    fn join(made_of: MadeOf, cells: usize) -> Join {
        Join { made_of, forms: Vec::new(), remembered: 0, limits: Vec::new(), cells }
    }

    #[test]
    fn every_part_is_in_one_branch_or_above_what_it_is_made_of() {
        // Four classes of half a branch each, one large class, and their joins.
        let half = BRANCH_CELLS / 2;
        let mut joins: Vec<Join> = (0..4).map(|class| join(MadeOf::Class(class), half)).collect();
        joins.push(join(MadeOf::Class(4), 1000));
        joins.push(join(MadeOf::Parts(0, 1), 2 * half));
        joins.push(join(MadeOf::Parts(2, 3), 2 * half));
        joins.push(join(MadeOf::Parts(5, 6), 4 * half));
        joins.push(join(MadeOf::Parts(4, 7), 1000 + 4 * half));
        let cut = Branches::new(&joins);
        let mut branches = cut.branches.clone();
        branches.sort();
        assert_eq!(branches, [vec![0, 1, 5], vec![2, 3, 6], vec![4]]);
        assert_eq!(cut.above, [vec![7], vec![8]]);
        assert_eq!(cut.branch_of[7..], [NO_BRANCH, NO_BRANCH]);
    }
}
