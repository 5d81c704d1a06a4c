/** A count with its noun: "1 document", "1,204 documents"; `many` where the plural is no `s`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
