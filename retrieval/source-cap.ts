/**
 * Keeps one document from crowding out the rest: past `cap` chunks of a document the others go first. What is over the
 * cap is put behind, not thrown away, so a tenant with one document still fills its list. Order is kept otherwise.
 */
export function capPerDocument<Item extends { readonly documentId: string }>(
  ranked: readonly Item[],
  cap: number,
): { readonly kept: Item[]; readonly over: Item[] } {
  const counts = new Map<string, number>();
  const kept: Item[] = [];
  const over: Item[] = [];
  for (const item of ranked) {
    const count = (counts.get(item.documentId) ?? 0) + 1;
    counts.set(item.documentId, count);
    (count <= cap ? kept : over).push(item);
  }
  return { kept, over };
}
