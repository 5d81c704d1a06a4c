// The tags of a PDF (ISO 32000-2, 14.8): what Word and others write beside the page to say which text is a heading, which a
// cell, and which only furniture. Where they are, nothing has to be guessed from positions.
import type { PieceTag, TextPiece } from './pdf-lines.ts';

/** A node of the structure tree as the PDF library gives it. */
export interface StructureNode {
  readonly role?: string;
  readonly type?: string;
  readonly id?: string;
  readonly children?: readonly StructureNode[];
}

/** An item of a page's content: text, or the begin or end of a marked part. */
export interface ContentItem extends Partial<Omit<TextPiece, 'tag'>> {
  readonly type?: string;
  readonly id?: string | null;
  readonly tag?: string | undefined;
}

/** The text of a page with its tags. Furniture is left out, unless all of the page is marked as such. */
export function taggedPieces(items: readonly ContentItem[], tree: StructureNode | null): TextPiece[] {
  const tags = tree ? readTags(tree) : new Map<string, PieceTag>();
  const pieces: TextPiece[] = [];
  const artifacts: TextPiece[] = [];
  const open: { id: string | null; isArtifact: boolean }[] = [];
  for (const item of items) {
    if (item.type?.startsWith('beginMarkedContent')) {
      open.push({ id: item.id ?? null, isArtifact: item.tag === 'Artifact' });
    } else if (item.type === 'endMarkedContent') {
      open.pop();
    } else if (typeof item.str === 'string') {
      const tag = open.map((part) => tags.get(part.id ?? '')).findLast((found) => found !== undefined);
      const { str, transform = [], width = 0, dir = 'ltr' } = item;
      const piece = { str, transform, width, dir, ...(tag ? { tag } : {}) };
      const isArtifact = tags.size > 0 && open.some((part) => part.isArtifact);
      (isArtifact ? artifacts : pieces).push(piece);
    }
  }
  return pieces.some((piece) => piece.str.trim() !== '') ? pieces : [...pieces, ...artifacts];
}

function readTags(root: StructureNode): Map<string, PieceTag> {
  const tags = new Map<string, PieceTag>();
  let tables = 0;
  const visit = (node: StructureNode, outer: PieceTag | null): void => {
    const level = headingRole(node.role);
    // One object for all parts of a heading, so that two headings after each other stay two.
    const tag = level === null || outer?.cell ? outer : { heading: level };
    if (node.type === 'content' && node.id) tags.set(node.id, tag ?? {});
    for (const child of node.children ?? []) {
      // A table inside a cell is text of that cell.
      if (child.role === 'Table' && !tag?.cell) visitTable(child, ++tables, visit);
      else visit(child, tag);
    }
  };
  visit(root, null);
  return tags;
}

type Visit = (node: StructureNode, tag: PieceTag | null) => void;

function visitTable(table: StructureNode, number: number, visit: Visit): void {
  let row = 0;
  const rows = (node: StructureNode): void => {
    for (const child of node.children ?? []) {
      if (child.role !== 'TR') {
        rows(child);
        continue;
      }
      row += 1;
      for (const [column, cell] of (child.children ?? []).entries())
        visit(cell, { cell: { table: number, row, column } });
    }
  };
  rows(table);
}

function headingRole(role = ''): number | null {
  const match = /^H([1-6])$/.exec(role);
  if (match) return Number(match[1]);
  return role === 'Title' || role === 'H' ? 1 : null;
}
