import { TypeFlags, type Checker, type Type } from "typescript/unstable/sync"

/** Answers of the compiler, which is another process, by the type that was asked for. */
const onceFor = <A>(ask: (type: Type) => A): ((type: Type) => A) => {
  const answers = new WeakMap<Type, { readonly answer: A }>()
  return (type) => {
    const known = answers.get(type) ?? { answer: ask(type) }
    answers.set(type, known)
    return known.answer
  }
}

/** The members of a union. Any other type is its own only member. */
export const membersOf = onceFor((type): ReadonlyArray<Type> => (type.isUnionType() ? type.getTypes() : [type]))

const PARTS = new Set(["PendingQuery", "Helper", "Builder", "Identifier"])
const TAGS = new Set(["ISql", "Sql", "TransactionSql"])

/** The type of `sql` itself. */
export const isTag = (type: Type): boolean => TAGS.has(type.getSymbol()?.name ?? "")

/** Whether a type is a piece of SQL, and not a parameter. */
export const partsIn = (checker: Checker): ((type: Type) => boolean) => {
  const isPart = onceFor((type): boolean =>
    membersOf(type).some(
      (member) =>
        PARTS.has(member.getSymbol()?.name ?? "") ||
        (checker.isArrayType(member) &&
          member.isTypeReference() &&
          checker.getTypeArguments(member).some((item) => isPart(item)))
    )
  )
  return isPart
}

/** All string literals of a type. */
export const stringsOf = (type: Type): ReadonlyArray<string> | undefined => {
  const strings = membersOf(type).map((member) => (member.isStringLiteralType() ? member.value : undefined))
  return strings.every((value) => value !== undefined) ? strings : undefined
}

/** The value of a type that has only one. */
export const onlyValueOf = (type: Type): { readonly value: unknown } | undefined => {
  if (type.isLiteralType()) return { value: type.value }
  if ((type.flags & TypeFlags.Null) !== 0) return { value: null }
  if ((type.flags & TypeFlags.Undefined) !== 0) return { value: undefined }
  return undefined
}

/** `string`, `number`, `boolean`, `null` and so on, or the name of a class or interface. */
export const nameOf = (type: Type): string => {
  if ((type.flags & TypeFlags.StringLike) !== 0) return "string"
  if ((type.flags & TypeFlags.NumberLike) !== 0) return "number"
  if ((type.flags & TypeFlags.BooleanLike) !== 0) return "boolean"
  if (type.isIntersectionType()) return nameOf(type.getTypes()[0] as Type)
  return type.isIntrinsicType() ? type.intrinsicName : (type.getSymbol()?.name ?? "")
}
