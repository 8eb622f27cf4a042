//! Products of matrices of shares.

use tacit_math::Wiped;
use tacit_math::field::Field;

/// The sizes of two matrices: rows of the first; columns of the first and rows of the second; columns of the
/// second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MatrixSizes {
    pub(crate) rows: usize,
    pub(crate) inner: usize,
    pub(crate) columns: usize,
}

impl MatrixSizes {
    /// The product of two matrices, all by rows: from shares of degree t, shares of degree 2t.
    pub(crate) fn product<F: Field>(self, field: &F, a: &[F::Element], b: &[F::Element]) -> Vec<F::Element> {
        let MatrixSizes { rows, inner, columns } = self;
        let columns: Vec<_> = (0..columns).map(|column| Wiped::from(self.column(b, column))).collect();
        (0..rows)
            .map(|row| &a[row * inner..][..inner])
            .flat_map(|row| columns.iter().map(move |column| field.dot(row, column)))
            .collect()
    }

    fn column<E: Copy>(self, b: &[E], column: usize) -> Vec<E> {
        (0..self.inner).map(|row| b[row * self.columns + column]).collect()
    }

    /// For each element of the first matrix, its factor in the sum of the product's elements, each times its coefficient.
    pub(crate) fn weighted<F: Field>(
        self,
        field: &F,
        b: &[F::Element],
        coefficients: &[F::Element],
    ) -> Vec<F::Element> {
        let MatrixSizes { rows, inner, columns } = self;
        (0..rows)
            .map(|row| &coefficients[row * columns..][..columns])
            .flat_map(|row| (0..inner).map(move |column| field.dot(row, &b[column * columns..][..columns])))
            .collect()
    }
}
