//! How the release was drawn: the noise, the operators and how exactly they draw.

use crate::Release;
use crate::markup::{Head, Markup};
use crate::words::number;

/// The whole section.
pub(crate) fn section(page: &mut Markup, release: &Release) {
    let certificate = release.certificate;
    page.element("dl", &[("class", "facts")], |page| {
        page.fact("Noise", &certificate.guarantee.noise);
        page.fact("Choice of strength", &certificate.choice);
        page.fact("Random bits", &certificate.entropy);
    });
    if certificate.is_projected() {
        projected(page);
    } else {
        page.paragraph(
            "The table falls into blocks that share no exact total. Each block was \
            drawn by one of these operators; the choice was made from the declaration and \
            public values alone.",
        );
    }
    let heads = [Head::Words("Operator"), Head::Numbers("Blocks"), Head::Numbers("Cells"), Head::Words("Exactness")];
    page.table("plain", "Operators", heads, |page| {
        for operator in &certificate.operators {
            page.row(|page| {
                page.row_name(&operator.operator);
                page.number(&number(operator.blocks as i128));
                page.number(&number(operator.cells as i128));
                page.cell(meaning(&operator.exactness, certificate.is_projected()));
            });
        }
    });
}

/// What a projection does, and what must not be concluded from the noise before it.
fn projected(page: &mut Markup) {
    page.paragraph("Noise was drawn freely, so that the noisy figures did not agree with what is exact. Each block of the table was then moved to a \
         nearby table of whole numbers that does agree, by one of these operators. The operator was chosen, and the move was computed, from \
         the noisy figures, the declaration and public values alone.",
    );
    page.element("div", &[("class", "notice")], |page| {
        page.paragraph("The stated noise is that before the move. Nothing is claimed about the errors of the released counts: small counts and counts \
             near a bound are biased, the distribution of the errors is not known, and no interval or quantile follows from the noise.",
        );
    });
}

/// What the word for an exactness means, perhaps of noise that is then projected; any other text
/// says it itself.
fn meaning(exactness: &str, projected: bool) -> &str {
    match exactness {
        "exact" if projected => {
            "exact before the projection: the noise was drawn from the stated law itself, without rounding"
        }
        "exact" => "exact: drawn from the stated law itself, without rounding",
        "rounded" => "rounded: drawn from the stated law up to a proved bound, which the guarantee includes",
        "estimated" => {
            "estimated: close to the stated law, as far as coupled chains can tell; the guarantee pays for the distance"
        }
        other => other,
    }
}
