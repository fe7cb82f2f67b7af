import {
  type ArrowFunctionExpression,
  type CallExpression,
  type Expression,
  type Identifier,
  type ImportDeclaration,
  type Node,
  parse,
  type Pattern,
  type SpreadElement,
  type Super,
  type VariableDeclarator
} from "acorn"
import { full } from "acorn-walk"
import { stripTypeScriptTypes } from "node:module"

const RUNS = /^(?:it|test|describe|beforeAll|afterAll|beforeEach|afterEach)$/
const WAITS_OF_VITEST = /^(?:waitFor|waitUntil|poll)$/
const UPPER_BOUNDS = /^(?:isBelow|isAtMost|approximately|closeTo|toBeLessThan|toBeLessThanOrEqual|toBeCloseTo)$/
const CLOCK = /\b(?:performance|Date)\.now\(\)/

const isCall = (node: Node): node is CallExpression => node.type === "CallExpression"
const isImport = (node: Node): node is ImportDeclaration => node.type === "ImportDeclaration"
const isDeclarator = (node: Node): node is VariableDeclarator => node.type === "VariableDeclarator"
const isIdentifier = (node: Node): node is Identifier => node.type === "Identifier"

type Callee = Expression | Super
type Argument = Expression | SpreadElement

/** The name with which a chain of calls begins: `it` in `it.skipIf(x)("...", ...)`. */
const rootOf = (node: Callee): string | undefined => {
  if (node.type === "Identifier") return node.name
  if (node.type === "MemberExpression") return rootOf(node.object)
  return node.type === "CallExpression" ? rootOf(node.callee) : undefined
}
const nameOf = ({ callee }: CallExpression): string | undefined => {
  if (callee.type === "Identifier") return callee.name
  return callee.type === "MemberExpression" && callee.property.type === "Identifier" ? callee.property.name : undefined
}
const isNumber = (node: Argument): boolean => node.type === "Literal" && typeof node.value === "number"
const hasTimeout = (node: Argument): boolean =>
  node.type === "ObjectExpression" &&
  node.properties.some(
    (property) => property.type === "Property" && property.key.type === "Identifier" && property.key.name === "timeout"
  )
const namesIn = (pattern: Pattern): ReadonlyArray<string> => {
  if (pattern.type === "Identifier") return [pattern.name]
  if (pattern.type !== "ObjectPattern") return []
  return pattern.properties.flatMap((property) => (property.type === "Property" ? namesIn(property.value) : []))
}

/**
 * What makes a test depend on how fast the machine is: time limits of its own, upper bounds on elapsed time, and
 * pauses. One line each.
 */
export const timingFaults = (path: string, source: string): ReadonlyArray<string> => {
  const text = stripTypeScriptTypes(source)
  const tree = parse(text, { ecmaVersion: "latest", sourceType: "module", locations: true })
  const textOf = ({ start, end }: Node) => text.slice(start, end)
  const faults: Array<string> = []
  const fault = (node: Node, said: string) => faults.push(`${path}:${node.loc?.start.line}: ${said}`)

  // Names of values that come from a clock, and of those that come from them.
  const fromClock = new Set<string>()
  const isFromClock = (node: Node): boolean => {
    if (CLOCK.test(textOf(node))) return true
    let found = false
    full(node, (inner) => {
      if (isIdentifier(inner) && fromClock.has(inner.name)) found = true
    })
    return found
  }
  const returnsTime = (init: ArrowFunctionExpression): boolean => {
    if (init.body.type !== "BlockStatement") return isFromClock(init.body)
    return init.body.body.some(
      (statement) =>
        statement.type === "ReturnStatement" && statement.argument != null && isFromClock(statement.argument)
    )
  }
  full(tree, (node) => {
    if (isDeclarator(node)) {
      const { id, init } = node
      if (init == null) return
      const isTime = init.type === "ArrowFunctionExpression" ? returnsTime(init) : isFromClock(init)
      if (isTime) for (const name of namesIn(id)) fromClock.add(name)
    } else if (isCall(node) && nameOf(node) === "push" && node.arguments.some(isFromClock)) {
      const root = rootOf(node.callee)
      if (root !== undefined) fromClock.add(root)
    }
  })

  full(tree, (node) => {
    if (isImport(node) && node.source.value === "node:timers/promises" && /\bsetTimeout\b/.test(textOf(node)))
      fault(node, "a pause: wait for a condition with until()")
    if (!isCall(node)) return
    const root = rootOf(node.callee)
    const name = nameOf(node)
    const isLimit = (given: Argument, at: number) => at > 0 && (isNumber(given) || hasTimeout(given))
    if (RUNS.test(root ?? "") && name !== "each" && node.arguments.some(isLimit))
      fault(node, "a time limit of its own: leave it out, as test/support/patience.ts has one for all")
    if ((root === "vi" || root === "expect") && WAITS_OF_VITEST.test(name ?? "")) fault(node, "wait with until()")
    if (UPPER_BOUNDS.test(name ?? "") && (node.arguments.some(isFromClock) || isFromClock(node.callee)))
      fault(node, "an upper bound on elapsed time: assert its cause, or add a row to the bench")
    if (node.callee.type === "Identifier" && name === "setTimeout")
      fault(node, "a pause: wait for a condition with until()")
  })
  return faults
}
