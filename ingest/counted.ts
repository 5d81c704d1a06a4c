/** "1 document", "2 documents"; `many` where the plural is no `s`: `counted(1, 'person', 'people')`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
