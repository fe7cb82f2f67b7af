import type { Type } from "typescript/unstable/sync"

/** A value that only the running program knows. Its type is known. */
export class Unknown {
  readonly type: Type
  /** Whether it is left out where it is undefined. */
  readonly isOptional: boolean

  constructor(type: Type, isOptional = false) {
    this.type = type
    this.isOptional = isOptional
  }
}
