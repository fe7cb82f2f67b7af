type Json = any

/** An operation of an OpenAPI document, with the parameters of its path. */
export interface FoundOperation {
  readonly path: string
  /** In lower case, as in the document. */
  readonly method: string
  readonly operation: Json
}

/** The operations in an OpenAPI document. */
export const operationsIn = ({ paths }: { readonly paths: object }): ReadonlyArray<FoundOperation> =>
  Object.entries<Json>(paths as Json).flatMap(([path, { parameters: shared = [], ...methods }]) =>
    Object.entries<Json>(methods).map(([method, operation]) => {
      const parameters = [...shared, ...(operation.parameters ?? [])]
      return { path, method, operation: { ...operation, ...(parameters.length > 0 && { parameters }) } }
    })
  )

/** Whether the document says that the operation is not for the runtime reference, which its tag does. */
export const isHidden = ({ tags }: Json, { tags: all }: Json): boolean =>
  all.some((tag: Json) => tag["x-scalar-ignore"] === true && tags.includes(tag.name))
