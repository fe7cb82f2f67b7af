import type { Type } from "typescript/unstable/sync"

/** A value that is known only at run time. Its type is known. */
export class Unknown {
  readonly type: Type
  /** Whether it is omitted if it is undefined. */
  readonly isOptional: boolean

  constructor(type: Type, isOptional = false) {
    this.type = type
    this.isOptional = isOptional
  }
}
