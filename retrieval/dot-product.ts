/** Of two vectors of equal length; of unit vectors it is their cosine, -1…1. */
export function dotProduct(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}
