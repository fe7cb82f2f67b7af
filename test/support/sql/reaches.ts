import type { Expression, Node } from "typescript/unstable/ast"
import * as is from "typescript/unstable/ast/is"
import type { Evaluation } from "./Evaluation.ts"
import { Unknown } from "./Unknown.ts"

const mayBe = (evaluation: Evaluation, condition: Expression, wanted: boolean): boolean => {
  const value = evaluation.value(condition, new Map())
  return value instanceof Unknown || Boolean(value) === wanted
}

/** Whether a node may be reached at run time. An unknown condition may be true or false. */
export const reaches = (evaluation: Evaluation, node: Node): boolean => {
  const { parent } = node
  if (parent === undefined) return true
  if (is.isIfStatement(parent) && parent.expression !== node)
    return mayBe(evaluation, parent.expression, parent.thenStatement === node) && reaches(evaluation, parent)
  if (is.isConditionalExpression(parent) && parent.condition !== node)
    return mayBe(evaluation, parent.condition, parent.whenTrue === node) && reaches(evaluation, parent)
  return reaches(evaluation, parent)
}
