import { ApiPromise, ListPromise } from "./ApiPromise.ts"
import { OPERATIONS, type Operations } from "./generated/operations.gen.ts"
import type { Call, RequestOptions, Transport } from "./transport.ts"

type Request<Id extends keyof Operations> = Operations[Id]["request"]
type Field<Part, Name extends string> = Part extends { readonly [N in Name]?: infer Value } ? Value : never

/** The `data` of an operation's answer. */
export type DataOf<Id extends keyof Operations> = Operations[Id]["answers"] extends { 200: { data: infer Data } }
  ? Data
  : never

/** One string for each parameter of the path, in its order. */
type PathArgs<Url extends string> = Url extends `${string}{${string}}${infer Rest}`
  ? [id: string | number, ...PathArgs<Rest>]
  : []

type Present<Value> = [Exclude<Value, undefined>] extends [never] ? false : true
type BodyArgs<Id extends keyof Operations> =
  Present<Field<Request<Id>, "body">> extends true
    ? undefined extends Field<Request<Id>, "body">
      ? [body?: Field<Request<Id>, "body">]
      : [body: Field<Request<Id>, "body">]
    : Present<Field<Request<Id>, "query">> extends true
      ? Request<Id> extends { query: infer Query }
        ? [query: Query]
        : [query?: Field<Request<Id>, "query">]
      : []

/**
 * The arguments of a method: the ids of the path, then the body of a write or the query of a read, then the options of
 * the request.
 */
export type Args<Id extends keyof Operations> = [
  ...PathArgs<(typeof OPERATIONS)[Id][1]>,
  ...BodyArgs<Id>,
  options?: RequestOptions
]

const PARAMETER = /\{\w+\}/g

/** The request of an operation with these arguments. */
const callOf = (id: keyof Operations, args: ReadonlyArray<unknown>): Call => {
  const [method, path, takesKey, takes] = OPERATIONS[id]
  const rest = [...args]
  const filled = path.replaceAll(PARAMETER, () => encodeURIComponent(String(rest.shift())))
  const payload = takes === "none" ? undefined : rest.shift()
  return {
    method,
    path: filled,
    takesKey,
    options: rest[0] as RequestOptions | undefined,
    ...(takes === "query" ? { query: payload as Call["query"] } : { body: payload })
  }
}

export type Method<Id extends keyof Operations> = (...args: Args<Id>) => ApiPromise<DataOf<Id>>

type ItemOf<Data, Key extends keyof Data> = Data[Key] extends ReadonlyArray<infer Item> ? Item : never
export type ListMethod<Id extends keyof Operations, Key extends keyof DataOf<Id>> = (
  ...args: Args<Id>
) => DataOf<Id> extends { readonly next_cursor: string | null }
  ? ListPromise<DataOf<Id>, ItemOf<DataOf<Id>, Key>>
  : never

/** Makes the methods of operations. */
export interface Methods {
  readonly call: <Id extends keyof Operations>(id: Id) => Method<Id>
  /** A method that reads a list. `key`: the field of the answer with the items. */
  readonly list: <Id extends keyof Operations, Key extends keyof DataOf<Id>>(id: Id, key: Key) => ListMethod<Id, Key>
  /** A method whose answer is a file, as it is. */
  readonly file: <Id extends keyof Operations>(id: Id) => (...args: Args<Id>) => Promise<Response>
}

export const methodsOf = (transport: Transport): Methods => {
  const list = (id: keyof Operations, key: string, args: ReadonlyArray<unknown>, cursor?: string): unknown => {
    const call = callOf(id, args)
    const asked = cursor === undefined ? call : { ...call, query: { ...call.query, cursor } }
    return new ListPromise(
      () => transport.send(asked),
      key as never,
      (next) => list(id, key, args, next) as ListPromise<{ next_cursor: string | null }, unknown>
    )
  }
  return {
    call:
      (id) =>
      (...args) =>
        new ApiPromise(() => transport.send(callOf(id, args))),
    list:
      (id, key) =>
      (...args) =>
        list(id, String(key), args) as never,
    file:
      (id) =>
      (...args) => {
        const call = callOf(id, args)
        return transport.open(call, call.options?.signal ?? new AbortController().signal)
      }
  }
}
