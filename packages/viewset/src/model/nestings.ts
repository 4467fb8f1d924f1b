import type { Table } from 'drizzle-orm'
import type { ColumnInfo, ModelInfo } from './model-info.ts'

/** A list of children that are written with their parent, whose version stands for them too. */
export interface Nesting {
  readonly parent: ModelInfo
  /** The foreign key of the children. */
  readonly column: ColumnInfo
  /** The column of the parent that it refers to. */
  readonly ownerKey: ColumnInfo
}

/** A nesting with the children that it is about. */
export interface ChildNesting extends Nesting {
  readonly child: ModelInfo
}

const NONE: readonly ChildNesting[] = []
const byChild = new WeakMap<Table, readonly ChildNesting[]>()
const byParent = new WeakMap<Table, readonly ChildNesting[]>()

/** From now on, each write of a child moves the version of its parent. */
export function nest(child: ModelInfo, nesting: Nesting): void {
  const known = nestingsOf(child.table)
  const isSame = ({ parent, column }: Nesting) => parent === nesting.parent && column === nesting.column
  if (known.some(isSame)) return
  const added = { child, ...nesting }
  byChild.set(child.table, [...known, added])
  byParent.set(nesting.parent.table, [...childrenOf(nesting.parent.table), added])
}

/** The lists with the children of a table. */
export function childrenOf(parent: Table): readonly ChildNesting[] {
  return byParent.get(parent) ?? NONE
}

const parentKeys = new WeakSet<ColumnInfo>()

/** A list of a parent is written by the foreign key of its children. */
export function noteParentKey(column: ColumnInfo): void {
  parentKeys.add(column)
}

/** Whether a change of a foreign key moves a child from the list of one parent to that of another. */
export function isParentKey(column: ColumnInfo): boolean {
  return parentKeys.has(column)
}

/** The lists whose children are the rows of a table. */
export function nestingsOf(child: Table): readonly ChildNesting[] {
  return byChild.get(child) ?? NONE
}

/** Whether the rows of a table have children of a {@link Nesting}. */
export function isNesting(parent: Table): boolean {
  return byParent.has(parent)
}
