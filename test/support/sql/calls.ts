import type { CallExpression, Expression, Node, SignatureDeclaration } from "typescript/unstable/ast"
import * as is from "typescript/unstable/ast/is"
import type { Project } from "./Project.ts"

const isWrapper = (node: Node) =>
  is.isParenthesizedExpression(node) || is.isAsExpression(node) || is.isSatisfiesExpression(node)

/** The closest node around this one that is not parentheses. */
const around = (node: Node): Node => (isWrapper(node.parent) ? around(node.parent) : node.parent)

/** `Effect.fn` and `Effect.fnUntraced` return their argument as a function that can be called. */
const isEffectFn = (call: CallExpression): boolean => /^Effect\.fn(Untraced)?\b/.test(call.expression.getText())

const calleeOf = ({ expression }: CallExpression): Node =>
  is.isPropertyAccessExpression(expression) ? expression.name : expression

/** Calls of this name that refer to this function. */
const callsByName = (project: Project, name: Node, fn: Node): ReadonlyArray<CallExpression> => {
  const symbol = project.symbolOf(name)
  const calls = project.callsNamed(name.getText())
  project.readSymbols(calls.map(calleeOf))
  return calls.filter((call) => {
    if (project.symbolOf(calleeOf(call))?.id === symbol?.id) return true
    return project.signatureOf(call)?.declaration?.resolve() === fn
  })
}

const findCalls = (project: Project, fn: Expression | SignatureDeclaration): ReadonlyArray<CallExpression> => {
  if (is.isFunctionDeclaration(fn)) return fn.name === undefined ? [] : callsByName(project, fn.name, fn)
  if (is.isMethodDeclaration(fn)) return callsByName(project, fn.name, fn)
  const holder = around(fn)
  if (is.isVariableDeclaration(holder) || is.isPropertyAssignment(holder))
    return is.isIdentifier(holder.name) ? callsByName(project, holder.name, fn) : []
  if (is.isCallExpression(holder)) {
    if (around(holder.expression) === holder && holder.expression === fn) return [holder]
    return isEffectFn(holder) ? callsOf(project, holder) : []
  }
  const outer = is.isArrowFunction(holder) ? holder : is.isReturnStatement(holder) ? functionAround(holder) : undefined
  if (outer === undefined) return []
  return callsOf(project, outer).flatMap((call) =>
    is.isCallExpression(call.parent) && call.parent.expression === call ? [call.parent] : callsOf(project, call)
  )
}

/** Where this function is called. */
export const callsOf = (project: Project, fn: Expression | SignatureDeclaration): ReadonlyArray<CallExpression> => {
  const known = project.calls.get(fn) ?? findCalls(project, fn)
  project.calls.set(fn, known)
  return known
}

export const functionAround = (node: Node): SignatureDeclaration | undefined => {
  for (let at = node.parent; at !== undefined; at = at.parent)
    if (
      is.isArrowFunction(at) ||
      is.isFunctionExpression(at) ||
      is.isFunctionDeclaration(at) ||
      is.isMethodDeclaration(at)
    )
      return at
  return undefined
}

/** The functions around a node, the innermost first. */
export const functionsAround = (node: Node): ReadonlyArray<SignatureDeclaration> => {
  const fn = functionAround(node)
  return fn === undefined ? [] : [fn, ...functionsAround(fn)]
}

/**
 * The values that a callback is called with, one by one: the list of `list.map(callback)` or `Effect.forEach(list,
 * callback)`.
 */
export const listOf = (callback: Node): Expression | undefined => {
  const call = around(callback)
  if (!is.isCallExpression(call) || !is.isPropertyAccessExpression(call.expression)) return undefined
  if (!["map", "flatMap", "forEach"].includes(call.expression.name.text)) return undefined
  const first = call.arguments[0]
  return first === callback ? call.expression.expression : first
}
