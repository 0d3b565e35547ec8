//! The levels of a table from coarse to fine, as TopDown descends them.

use crate::conditions::sums;
use crate::declaration::Declaration;
use crate::domain::Domain;
use crate::grouping::{Axis, Grouping, groups};
use crate::problem::Problem;
use crate::schema::Values;

/// How finely a dimension is told apart: not at all, or by its values or a level of its hierarchy.
type Grain = Option<Option<usize>>;

impl Declaration {
    /// The levels above the cells, coarse to fine: for every one the group of every live cell,
    /// numbered from 0 without gaps.
    ///
    /// The coarsest tells apart the dimensions without a hierarchy alone. From there the first
    /// hierarchy is refined level by level to its leaves, then the next one, in declared order.
    /// What tells apart no more than the level before it, or all that the cells do, is left out;
    /// without a hierarchy there is no level.
    pub fn levels(&self, domain: &Domain) -> Vec<Vec<u32>> {
        let dimensions = &self.schema.dimensions;
        let is_hierarchy = |values: &Values| matches!(values, Values::Hierarchy(_));
        if !dimensions.iter().any(|dimension| is_hierarchy(&dimension.values)) {
            return Vec::new();
        }
        let mut grains: Vec<Grain> =
            dimensions.iter().map(|dimension| (!is_hierarchy(&dimension.values)).then_some(None)).collect();
        let mut chosen = vec![grains.clone()];
        for (place, dimension) in dimensions.iter().enumerate() {
            let Values::Hierarchy(levels) = &dimension.values else { continue };
            for grain in (0..levels.names.len()).map(Some).chain([None]) {
                grains[place] = Some(grain);
                chosen.push(grains.clone());
            }
        }
        let mut known = 0;
        let mut levels = Vec::new();
        for grains in chosen {
            let axes = grains.into_iter().enumerate();
            let axes = axes.filter_map(|(place, grain)| Some(Axis::new(&self.schema, place, grain?)));
            let (groups, group_of) = groups(domain, &axes.collect::<Vec<_>>());
            if groups > known && groups < domain.len() {
                known = groups;
                levels.push(group_of);
            }
        }
        levels
    }

    /// The sums at which errors are told apart, coarse to fine: those by every level of a
    /// hierarchy, by every dimension and by the queries that are declared. What tells apart no
    /// cells, or all of them, is left out, and so is what is there already.
    ///
    /// # Errors
    /// Bad when a query does not fit the schema.
    pub fn margins(&self, domain: &Domain) -> Result<Vec<Grouping>, Problem> {
        let mut named: Vec<Vec<String>> = Vec::new();
        for dimension in &self.schema.dimensions {
            if let Values::Hierarchy(levels) = &dimension.values {
                named.extend(levels.names.iter().map(|name| vec![name.clone()]));
            }
            named.push(vec![dimension.name.clone()]);
        }
        let mut margins: Vec<Grouping> = Vec::new();
        let by_names = named.iter().map(|by| (by.as_slice(), None));
        let queries = self.mechanism.queries.iter().map(|query| (query.by.as_slice(), query.filter.as_ref()));
        for (by, filter) in by_names.chain(queries) {
            let margin = sums(domain, by, filter)?;
            let known = margins.iter().any(|known| known.group_of == margin.group_of);
            if margin.groups() > 1 && margin.groups() < domain.len() && !known {
                margins.push(margin);
            }
        }
        margins.sort_by_key(Grouping::groups);
        Ok(margins)
    }
}

#[cfg(test)]
mod tests {
    use crate::Declaration;

    fn levels(dimensions: &str) -> Vec<Vec<u32>> {
        let spec = format!(
            "title = \"t\"\n[data]\npath = \"t.csv\"\npublic = true\n[dimensions]\n{dimensions}\n[mechanism]\nnoise = \
             \"double-geometric\"\nepsilon = \"1\"\n"
        );
        let declaration = Declaration::parse_alone(&spec, "spec").unwrap();
        declaration.levels(&declaration.domain().unwrap())
    }

    #[test]
    fn without_a_hierarchy_there_is_no_level() {
        assert!(levels("sex = [\"f\", \"m\"]\nage = [\"young\", \"old\"]").is_empty());
    }

    #[test]
    fn margins_are_those_of_levels_dimensions_and_queries() {
        let spec = "title = \"t\"\n[data]\npath = \"t.csv\"\npublic = true\n[dimensions]\nplace = { levels = [\"state\", \
                    \"county\"], rows = [[\"A\", \"1\"], [\"A\", \"2\"], [\"B\", \"3\"]] }\nsex = [\"f\", \"m\"]\n[mechanism]\nnoise = \
                    \"double-geometric\"\n[[mechanism.query]]\nby = [\"state\", \"sex\"]\nepsilon = 1\n[[mechanism.query]]\nby = \
                    [\"county\", \"sex\"]\nepsilon = 1\n";
        let declaration = Declaration::parse_alone(spec, "spec").unwrap();
        let margins = declaration.margins(&declaration.domain().unwrap()).unwrap();
        let named: Vec<(&str, usize)> = margins.iter().map(|each| (each.label.as_str(), each.groups())).collect();
        assert_eq!(named, [("by state", 2), ("by sex", 2), ("by county", 3), ("by state, sex", 4)]);
    }

    #[test]
    fn hierarchies_are_refined_one_after_the_other_beside_the_other_dimensions() {
        let place =
            "place = { levels = [\"state\", \"county\"], rows = [[\"A\", \"1\"], [\"A\", \"2\"], [\"B\", \"3\"]] }";
        assert_eq!(levels(place), [vec![0, 0, 0], vec![0, 0, 1]]);
        let with_sex = levels(&format!("{place}\nsex = [\"f\", \"m\"]"));
        assert_eq!(with_sex, [vec![0, 1, 0, 1, 0, 1], vec![0, 1, 0, 1, 2, 3]]);
        let job = "job = { levels = [\"sector\", \"job\"], rows = [[\"I\", \"x\"], [\"II\", \"y\"], [\"II\", \"z\"]] }";
        let two = levels(&format!("{place}\n{job}"));
        let groups: Vec<u32> = two.iter().map(|group_of| group_of.iter().max().unwrap() + 1).collect();
        assert_eq!(groups, [1, 2, 3, 6]);
        for pair in two.windows(2) {
            // Every group of a finer level lies inside one of the coarser.
            let mut above = [None; 9];
            pair[0].iter().zip(&pair[1]).for_each(|(coarse, fine)| {
                assert_eq!(*above[*fine as usize].get_or_insert(*coarse), *coarse);
            });
        }
    }
}
