import { TypeFlags, type Checker, type Type } from "typescript/unstable/sync"
import type { Column, Description } from "./describe.ts"
import { membersOf, nameOf } from "./types.ts"

const NUMBERS = new Set([20, 21, 23, 26, 700, 701])
const MOMENTS = new Set([1082, 1114, 1184])
const JSONS = new Set([114, 3802])
const NUMERIC = 1700
const BOOLEAN = 16
const BYTES = 17
/** The array types that can be sent, with the type of their items. None can be read. */
const SENT_ARRAYS = new Map([
  [1009, 25],
  [1007, 23],
  [1016, 20]
])

type Kind = "number" | "numeric" | "date" | "json" | "boolean" | "bytes" | "string"
const kindOf = (type: number): Kind => {
  if (NUMBERS.has(type)) return "number"
  if (type === NUMERIC) return "numeric"
  if (MOMENTS.has(type)) return "date"
  if (JSONS.has(type)) return "json"
  if (type === BOOLEAN) return "boolean"
  return type === BYTES ? "bytes" : "string"
}

/** The type that the driver returns for a column of this kind. */
const READ_AS: Readonly<Record<Kind, ReadonlySet<string>>> = {
  number: new Set(["number"]),
  numeric: new Set(["string"]),
  date: new Set(["Date"]),
  boolean: new Set(["boolean"]),
  bytes: new Set(["Buffer", "Uint8Array"]),
  string: new Set(["string"]),
  json: new Set()
}
/** The types that may be sent for this kind. */
const SENT_AS: Readonly<Record<Kind, ReadonlySet<string>>> = {
  ...READ_AS,
  numeric: new Set(["number", "string"]),
  date: new Set(["Date", "string"])
}
const NO_JSON = new Set(["Date", "Buffer", "Uint8Array", "Map", "Set", "undefined", "bigint"])

const isUndefined = (type: Type) => (type.flags & TypeFlags.Undefined) !== 0
const isNull = (type: Type) => (type.flags & TypeFlags.Null) !== 0

interface Field {
  readonly types: ReadonlyArray<Type>
  /** Whether every member of a union has the field. In rows of a member that lacks it, the column may be null. */
  readonly isInAll: boolean
}

/** The fields of a row, over all members of its type. */
const fieldsOf = (checker: Checker, row: Type): ReadonlyMap<string, Field> => {
  const members = membersOf(row).map((member) => {
    const properties = checker.getPropertiesOfType(member)
    const types = checker.getTypeOfSymbol(properties)
    return new Map(
      properties.map(({ name }, index) => {
        const type = types[index]
        return [name, type === undefined ? [] : membersOf(type)] as const
      })
    )
  })
  return new Map(
    [...new Set(members.flatMap((member) => [...member.keys()]))].map((name) => [
      name,
      {
        types: members.flatMap((member) => member.get(name) ?? []),
        isInAll: members.every((member) => member.has(name))
      }
    ])
  )
}

/** The type of one row of `Array<Row>` or of `[Row]`. */
const rowOf = (checker: Checker, rows: Type): Type | undefined =>
  rows.isTypeReference() ? checker.getTypeArguments(rows)[0] : undefined

const compareColumn = (checker: Checker, column: Column, { types, isInAll }: Field): ReadonlyArray<string> => {
  const said = () => types.map((member) => checker.typeToString(member)).join(" | ")
  const kind = kindOf(column.type.id)
  const members = types.filter((member) => !isNull(member))
  const isWrong = members.some((member) =>
    kind === "json" ? NO_JSON.has(nameOf(member)) : !READ_AS[kind].has(nameOf(member))
  )
  const problems = []
  if (isWrong) problems.push(`${column.name} is ${column.type.name}, and its type is ${said()}`)
  const takesNull = members.length < types.length || types.some((one) => (one.flags & TypeFlags.AnyOrUnknown) !== 0)
  if (column.nullable === "yes" && isInAll && !takesNull)
    problems.push(`${column.name} can be null, and its type is ${said()}`)
  return problems
}

export const compareRows = (checker: Checker, rows: Type, { columns }: Description): ReadonlyArray<string> => {
  const row = rowOf(checker, rows)
  if (row === undefined) return [`${checker.typeToString(rows)} is not a list of rows`]
  const fields = fieldsOf(checker, row)
  const names = new Set(columns.map(({ name }) => name))
  return [
    ...[...fields.keys()].filter((name) => !names.has(name)).map((name) => `the statement has no column ${name}`),
    ...columns.flatMap((column) => {
      const type = fields.get(column.name)
      return type === undefined ? [`the row type has no ${column.name}`] : compareColumn(checker, column, type)
    })
  ]
}

const isSendable = (checker: Checker, wanted: number, type: Type): boolean => {
  if (isNull(type)) return true
  const item = SENT_ARRAYS.get(wanted)
  if (item !== undefined) {
    if (!type.isTypeReference()) return false
    return checker.getTypeArguments(type).every((t) => membersOf(t).every((one) => isSendable(checker, item, one)))
  }
  const kind = kindOf(wanted)
  return kind === "json" ? nameOf(type) !== "string" : SENT_AS[kind].has(nameOf(type))
}

export const compareParameters = (checker: Checker, { parameters }: Description): ReadonlyArray<string> =>
  parameters.flatMap(({ type, given }, index) =>
    membersOf(given.type).every(
      (member) => isSendable(checker, type.id, member) || (given.isOptional && isUndefined(member))
    )
      ? []
      : [`$${index + 1} is ${type.name}, and what is sent is ${checker.typeToString(given.type)}`]
  )
