/** A request to the public API, under the caller's runtime key. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  /** From `apiPath`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: object
  /** The request is made at most once under this key. */
  readonly idempotencyKey?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** An error in the form of the contract (7.1). */
export interface ApiRefusal {
  readonly ok: false
  readonly status: number
  readonly detail: unknown
}

/** The `data` of a success, or an error. */
export type ApiAnswer<A> = { readonly ok: true; readonly data: A } | ApiRefusal

/** The API as one app sees it. The tools know only this, so that they work on the server and at the command line. */
export type Api = <A>(request: ApiRequest) => Promise<ApiAnswer<A>>

/** What a part of a path may consist of. Ids and slugs do, and `..` does not. */
export const NAME = /^[A-Za-z0-9_-]{1,200}$/

/** A path with ids in it. */
export const apiPath = (strings: TemplateStringsArray, ...names: ReadonlyArray<string>): string =>
  strings
    .map((text, index) => {
      const name = names[index] ?? ""
      if (index < names.length && !NAME.test(name)) throw new Error("a part of a path must be an id or a slug")
      return text + name
    })
    .join("")

/** The path of a request with its query. */
export const urlOf = ({ path, query = {} }: ApiRequest): string => {
  const given = Object.entries(query).flatMap(([name, value]): Array<[string, string]> =>
    value === undefined ? [] : [[name, String(value)]]
  )
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`
}
