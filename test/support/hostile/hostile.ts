import * as fc from "fast-check"
import { anyCharacter } from "./anyCharacter.ts"
import { inlineRefs } from "#test/support/sources/inlineRefs.ts"
import { operationsIn } from "#test/support/sources/operationsIn.ts"

interface JsonSchema {
  readonly [keyword: string]: any
}
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>
  readonly components?: JsonSchema
}
export interface Operation {
  readonly path: string
  readonly method: string
  readonly query: ReadonlyArray<string>
  readonly body: fc.Arbitrary<unknown> | null
}

/** A field's only valid value, because another one would end what the other requests need. */
export class Only {
  readonly value: string | null
  constructor(value: string | null) {
    this.value = value
  }
}
/** Valid values of fields that random ones rarely have, such as existing resources. Others are tried beside them. */
type Known = Readonly<Record<string, unknown>>

const beside = (known: unknown, others: () => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => {
  if (known === undefined) return others()
  return known instanceof Only
    ? fc.constant(known.value)
    : fc.oneof({ weight: 3, arbitrary: fc.constant(known) }, others())
}

/** Placeholder in a generated value for JSON text that no value serializes to. */
const HOLE = "@@hole@@"

const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: anyCharacter }),
  fc.constantFrom(
    "",
    " ",
    "\u0000",
    "a\u0000b",
    "\ud800",
    "x\udfffy",
    "__proto__",
    "constructor",
    "null",
    "-1",
    "NaN",
    "1e400",
    "2026-13-45",
    "'; drop table apps; --",
    "(a+)+$",
    "[",
    "{{char}}",
    "\u202e"
  ),
  fc.constantFrom(100, 5_000, 40_000).map((length) => "x".repeat(length)),
  fc.constantFrom(100, 3_000).map((length) => "🦊".repeat(length))
)
const numbers = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, -0, -1, 2 ** 31, 2 ** 53, 1e308, -1e308, 5e-324))
const rubbish: fc.Arbitrary<unknown> = fc.oneof(
  texts,
  numbers,
  fc.boolean(),
  fc.constant(null),
  fc.constant([]),
  fc.constant({}),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constant(HOLE)
)

/** JSON text that JSON.stringify would never write. Some of it is invalid. */
const rawJson = fc.oneof(
  fc.constantFrom(
    "1e999",
    "-1e999",
    "1e-999",
    "00",
    "12345678901234567890123456789",
    '"\\u0000"',
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '{"__proto__":{"a":1}}',
    '{"constructor":{"prototype":{"a":1}}}',
    '{"a":1,"a":2}',
    '{"":""}',
    '{"\\u0000":1}',
    "undefined",
    "NaN",
    "'single'",
    "",
    "[1,]",
    '{"a"}',
    '"\t"'
  ),
  fc.constantFrom(10, 63, 64, 65, 2_000, 50_000).map((depth) => "[".repeat(depth) + "]".repeat(depth)),
  fc.constantFrom(10, 64, 2_000).map((depth) => '{"a":'.repeat(depth) + "1" + "}".repeat(depth)),
  fc.constantFrom(10, 3_000).map((length) => `[${Array.from({ length }, (_, i) => i).join(",")}]`),
  fc.constantFrom(10, 3_000).map((length) => `{${Array.from({ length }, (_, i) => `"k${i}":${i}`).join(",")}}`)
)

const textFor = ({ minLength = 0, maxLength = 40, pattern, format }: JsonSchema): fc.Arbitrary<string> => {
  if (format !== undefined)
    return fc.constantFrom("Europe/Lisbon", "pt-PT", "09:30", "2026-11-21", "2026-11-21T10:00:00Z")
  if (pattern !== undefined && pattern !== "\\S") return fc.stringMatching(new RegExp(pattern, "u"))
  return fc
    .string({ minLength, maxLength: Math.min(maxLength, minLength + 40) })
    .map((text) => (text.trim() === "" && minLength > 0 ? "words" : text))
}

/** Values of a JSON schema according to its keywords. The rest is random. */
const valueFor = (schema: JsonSchema, document: OpenApi, known: Known, depth = 0): fc.Arbitrary<unknown> => {
  const again = (inner: JsonSchema) => valueFor(inner, document, known, depth + 1)
  if (typeof schema["$ref"] === "string") {
    const target = schema["$ref"]
      .slice(2)
      .split("/")
      .reduce<any>((at, key) => at?.[key], document)
    return again(target)
  }
  if (schema["allOf"] !== undefined)
    return fc
      .tuple(...schema["allOf"].map((part: JsonSchema) => again(part) as fc.Arbitrary<object>))
      .map((parts) => Object.assign({}, ...(parts as ReadonlyArray<object>)) as unknown)
  if (schema["const"] !== undefined) return fc.constant(schema["const"])
  if (schema["enum"] !== undefined) return fc.constantFrom(...schema["enum"])
  const ways = schema["anyOf"] ?? (schema["properties"] === undefined ? schema["oneOf"] : undefined)
  if (ways !== undefined) return fc.oneof(...ways.map(again))
  if (Array.isArray(schema["type"]))
    return fc.oneof(...schema["type"].map((type: string) => again({ ...schema, type })))
  switch (schema["type"]) {
    case "string":
      return textFor(schema)
    case "integer":
      return fc.integer({
        min: Math.max(schema["minimum"] ?? -1000, -1e9),
        max: Math.min(schema["maximum"] ?? 1000, 1e9)
      })
    case "number":
      return fc.double({ min: schema["minimum"] ?? -1000, max: schema["maximum"] ?? 1000, noNaN: true })
    case "boolean":
      return fc.boolean()
    case "null":
      return fc.constant(null)
    case "array":
      return fc.array(again(schema["items"] ?? {}), {
        maxLength: Math.min(schema["maxItems"] ?? 3, 3),
        minLength: Math.min(schema["minItems"] ?? 0, 3)
      })
    case "object": {
      const properties = Object.fromEntries(
        Object.entries<JsonSchema>(schema["properties"] ?? {}).map(([key, inner]) => [
          key,
          beside(known[key], () => again(inner))
        ])
      )
      const required: ReadonlyArray<string> = (schema["required"] ?? []).filter((key: string) => key in properties)
      // "One of these fields": a schema's oneOf beside its properties.
      const choices: ReadonlyArray<string> = (schema["oneOf"] ?? []).flatMap(
        (choice: JsonSchema) => choice["required"] ?? []
      )
      const pick = (keys: ReadonlyArray<string>) =>
        Object.fromEntries(Object.entries(properties).filter(([key]) => keys.includes(key)))
      // All fields, or only the required ones.
      const some = (most: typeof properties, least: ReadonlyArray<string>) =>
        fc.oneof(fc.record(most, { requiredKeys: [...least] }), fc.record(pick(least)))
      if (choices.length === 0) return some(properties, required)
      return fc.oneof(
        ...choices.map((choice) =>
          some(pick(Object.keys(properties).filter((key) => key === choice || !choices.includes(key))), [
            ...required,
            choice
          ])
        )
      )
    }
    default:
      return depth > 6 ? fc.constant(null) : fc.jsonValue({ maxDepth: 2 })
  }
}

/** Replaces one position in the value, chosen by the numbers. */
const replaceAt = (value: unknown, way: ReadonlyArray<number>, replacement: unknown): unknown => {
  const [step, ...rest] = way
  if (step === undefined || typeof value !== "object" || value === null) return replacement
  const keys = Object.keys(value)
  const key = keys[step % Math.max(keys.length, 1)]
  if (key === undefined) return replacement
  const inner = replaceAt(Reflect.get(value, key), rest, replacement)
  return Array.isArray(value) ? value.map((item, i) => (String(i) === key ? inner : item)) : { ...value, [key]: inner }
}

const way = fc.array(fc.nat({ max: 30 }), { maxLength: 4 })
const toText = (value: unknown, hole: string) => (JSON.stringify(value) ?? "").replaceAll(`"${HOLE}"`, hole)

/** `wait` is limited to what a test can wait for. */
const shortly = (json: string) =>
  json.replaceAll(/"wait":([\d.]+)/g, (all, wait: string) =>
    Number(wait) > 0.05 && Number(wait) <= 60 ? '"wait":0.05' : all
  )

/** Bodies for a route, as text: valid ones, ones with some wrong values, any JSON, and invalid JSON. */
export const bodiesFor = (shape: fc.Arbitrary<unknown> | null): fc.Arbitrary<string | Uint8Array | undefined> => {
  const meant = shape ?? fc.jsonValue({ maxDepth: 2 })
  const fits = meant.map((value) => JSON.stringify(value))
  const bent = fc
    .tuple(meant, fc.array(fc.tuple(way, rubbish), { minLength: 1, maxLength: 3 }), rawJson)
    .map(([value, bends, hole]) =>
      toText(
        bends.reduce((bent, [way, replacement]) => replaceAt(bent, way, replacement), value),
        hole
      )
    )
  const crowded = fc
    .tuple(meant, fc.dictionary(texts, rubbish, { maxKeys: 3 }), rawJson)
    .map(([value, extra, hole]) => toText({ ...(typeof value === "object" ? value : {}), ...extra }, hole))
  const doubled = meant
    .filter((value) => typeof value === "object" && value !== null && !Array.isArray(value))
    .map((value) => JSON.stringify(value))
    .map((text) => (text === "{}" ? text : `${text.slice(0, -1)},${text.slice(1)}`))
  return fc.oneof(
    { weight: 3, arbitrary: fits.map(shortly) },
    { weight: 5, arbitrary: bent.map(shortly) },
    { weight: 2, arbitrary: crowded.map(shortly) },
    doubled.map(shortly),
    fc.json(),
    rawJson,
    texts,
    fc.uint8Array({ maxLength: 50 }),
    fc.constant(undefined)
  )
}

const encoded = texts.map((text) => encodeURIComponent(text.toWellFormed()).slice(0, 6_000))
const crooked = fc.constantFrom(
  "%00",
  "a%00b",
  "%",
  "%zz",
  "%ff%fe",
  "%C0%80",
  "%ED%A0%80",
  "%2e%2e",
  "..",
  "%2F",
  "%252F",
  "%0d%0aset-cookie:a",
  "~",
  "+",
  "*",
  "a".repeat(399),
  "a".repeat(401),
  "%61".repeat(300)
)
const cursors = fc
  .oneof(texts, fc.constantFrom("99999999999", "2147483648", "-1", "0", "1e5", "zz"))
  .map((text) => Buffer.from(text).toString("base64url"))

/** A value of a path or query parameter, encoded for a URL. */
export const parameters = (known: ReadonlyArray<string>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known) }, encoded, crooked)

/** `wait` is limited as in bodies. */
export const queriesFor = (names: ReadonlyArray<string>) => {
  const name = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom("cursor", "limit", ...names) },
    encoded,
    fc.constantFrom("__proto__", "a[b]", "", "%00", "%zz")
  )
  const value = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        "0",
        "1",
        "5",
        "-1",
        "1.5",
        "",
        "abc",
        "201",
        "9007199254740991",
        "9007199254740992",
        "99999999999",
        "true",
        "active",
        "Infinity",
        "0x10"
      )
    },
    cursors,
    encoded,
    crooked
  )
  return fc
    .array(fc.tuple(name, value), { maxLength: 3 })
    .map((pairs) =>
      pairs
        .map(([name, value]) => (name === "wait" && Number(value) > 0.05 ? "wait=0.05" : `${name}=${value}`))
        .join("&")
    )
}

// What node:http's client accepts: Latin-1 without control characters.
const headerText = fc.oneof(
  fc.string({
    unit: fc
      .integer({ min: 32, max: 255 })
      .filter((code) => code !== 127)
      .map((code) => String.fromCharCode(code)),
    maxLength: 300
  }),
  fc.constantFrom("", " ", "0", "1", "-1", "1e3", "9".repeat(30), "k".repeat(255), "k".repeat(256), "x".repeat(9_000))
)
export const headers: fc.Arbitrary<Record<string, string>> = fc.record(
  {
    "idempotency-key": headerText,
    "last-event-id": headerText,
    "x-request-id": headerText,
    accept: headerText,
    "content-type": fc.oneof(
      headerText,
      fc.constantFrom(
        "application/json",
        "application/json; charset=utf-16",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "multipart/form-data; boundary=x",
        "json",
        "/",
        "application/json;;;"
      )
    ),
    "content-encoding": fc.constantFrom("gzip", "identity", "x")
  },
  { requiredKeys: [] }
)

const METHODS = new Set(["get", "post", "put", "patch", "delete"])

/** The operations in a server's OpenAPI document. Bodies often use known ids. */
export const operationsOf = (document: OpenApi, known: Known): ReadonlyArray<Operation> =>
  operationsIn(document)
    .filter(({ method, operation }) => METHODS.has(method) && operation["x-internal"] !== true)
    .map(({ path, method, operation }) => {
      const schema = inlineRefs(document, operation["requestBody"] ?? {}).content?.["application/json"]?.schema
      return {
        path,
        method: method.toUpperCase(),
        query: (inlineRefs(document, operation["parameters"] ?? []) as ReadonlyArray<JsonSchema>)
          .filter((parameter: JsonSchema) => parameter["in"] === "query")
          .map((parameter: JsonSchema) => parameter["name"]),
        body: schema === undefined ? null : valueFor(schema, document, known)
      }
    })
