import { type CallExpression, type Expression, type Node, type Pattern, parse, type SpreadElement, type Super } from "acorn"
import { full } from "acorn-walk"
import { stripTypeScriptTypes } from "node:module"

const RUNS = /^(?:it|test|describe|beforeAll|afterAll|beforeEach|afterEach)$/
const WAITS_OF_VITEST = /^(?:waitFor|waitUntil|poll)$/
const UPPER_BOUNDS = /^(?:isBelow|isAtMost|approximately|closeTo|toBeLessThan|toBeLessThanOrEqual|toBeCloseTo)$/
const CLOCK = /\b(?:performance|Date)\.now\(\)/

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
    (property) =>
      property.type === "Property" && property.key.type === "Identifier" && property.key.name === "timeout"
  )
const namesIn = (pattern: Pattern): ReadonlyArray<string> => {
  if (pattern.type === "Identifier") return [pattern.name]
  if (pattern.type !== "ObjectPattern") return []
  return pattern.properties.flatMap((property) => (property.type === "Property" ? namesIn(property.value) : []))
}

/**
 * What makes a test depend on how fast the machine is: time limits of its own, upper bounds on elapsed time, and pauses.
 * One line each.
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
      if (inner.type === "Identifier" && fromClock.has((inner as unknown as { name: string }).name)) found = true
    })
    return found
  }
  full(tree, (node) => {
    if (node.type !== "VariableDeclarator") return
    const { id, init } = node as unknown as { id: Pattern; init: Expression | null }
    const isValue = init !== null && init.type !== "ArrowFunctionExpression" && init.type !== "FunctionExpression"
    if (isValue && isFromClock(init)) for (const name of namesIn(id)) fromClock.add(name)
  })

  full(tree, (node) => {
    if (node.type !== "CallExpression") return
    const call = node as unknown as CallExpression
    const root = rootOf(call.callee)
    const name = nameOf(call)
    if (RUNS.test(root ?? "") && name !== "each" && call.arguments.some((given, at) => at > 0 && (isNumber(given) || hasTimeout(given))))
      fault(node, "a time limit of its own: leave it out, as test/support/patience.ts has one for all")
    if ((root === "vi" || root === "expect") && WAITS_OF_VITEST.test(name ?? "")) fault(node, "wait with until()")
    if (UPPER_BOUNDS.test(name ?? "") && (call.arguments.some(isFromClock) || isFromClock(call.callee)))
      fault(node, "an upper bound on elapsed time: assert its cause, or add a row to the bench")
    if (call.callee.type === "Identifier" && name === "setTimeout") fault(node, "a pause: wait for a condition with until()")
  })
  if (/from "node:timers\/promises"/.test(source)) faults.push(`${path}: a pause: wait for a condition with until()`)
  return faults
}
