import type { Namespaces } from './namespaces.ts'
import type { XmlHandler } from './xml.ts'
import { attribute } from './xml-text.ts'

export interface Relationship {
  /** The last word of its type, such as `worksheet`: the rest differs between the standard's versions. */
  readonly type: string
  readonly target: string
}

/** Reads a `.rels` part: what the parts of a package are to each other. */
export class RelationshipsHandler implements XmlHandler {
  readonly wantsText = false
  readonly byId = new Map<string, Relationship>()

  open(name: string, tag: string): void {
    if (name !== 'Relationship' || attribute(tag, 'TargetMode') === 'External') return
    const type = attribute(tag, 'Type')?.split('/').at(-1) ?? ''
    this.byId.set(attribute(tag, 'Id') ?? '', { type, target: attribute(tag, 'Target') ?? '' })
  }

  close(): void {}
}

/** Reads `xl/workbook.xml`: the names of the sheets, and where days are counted from. */
export class WorkbookHandler implements XmlHandler {
  readonly wantsText = false
  readonly sheets: { readonly name: string; readonly relationship: string }[] = []
  countsFrom1904 = false

  open(name: string, tag: string, namespaces: Namespaces): void {
    if (name === 'workbookPr') this.countsFrom1904 = /^(?:1|true)$/.test(attribute(tag, 'date1904') ?? '')
    else if (name === 'sheet') {
      const prefixes = [...tag.matchAll(PREFIXED_ID)].map(([, prefix = '']) => prefix)
      const prefix = prefixes.find(each => RELATIONSHIPS.test(namespaces.of(each) ?? '')) ?? 'r'
      this.sheets.push({ name: attribute(tag, 'name') ?? '', relationship: attribute(tag, `${prefix}:id`) ?? '' })
    }
  }

  close(): void {}
}

const PREFIXED_ID = /\s([^\s:=]+):id\s*=/g
/** The namespace of relationships, which both versions of the standard end so. */
const RELATIONSHIPS = /\/officeDocument\/(?:2006\/)?relationships$/
