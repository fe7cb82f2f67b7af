import type postgres from "postgres"
import type { CallExpression, Expression, Node, TypeNode } from "typescript/unstable/ast"
import * as is from "typescript/unstable/ast/is"
import type { Type } from "typescript/unstable/sync"
import { Choices } from "./Choices.ts"
import { Evaluation } from "./Evaluation.ts"
import { nodesIn } from "./nodesIn.ts"
import type { Project } from "./Project.ts"
import { reaches } from "./reaches.ts"
import { isTag } from "./types.ts"

export type Form = postgres.PendingQuery<Array<postgres.Row>>

export interface Statement {
  /** Where it is written. */
  readonly place: string
  /** The declared type of its rows. Undefined: none. */
  readonly rows: Type | undefined
  /** All forms of the statement. */
  readonly forms: ReadonlyArray<Form>
}

export interface Found {
  readonly statements: ReadonlyArray<Statement>
  /** Statements that could not be built. */
  readonly unread: ReadonlyArray<string>
}

interface Site {
  readonly node: Expression
  /** The statement, or the function that builds it. */
  readonly built: Expression
  readonly rows: Type | undefined
}

const isQuery = (project: Project, node: Node): node is CallExpression => {
  if (!is.isCallExpression(node) || node.arguments.length !== 1) return false
  const name = is.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression
  if (!is.isIdentifier(name) || name.text !== "query") return false
  const declaration = project.signatureOf(node)?.declaration
  return declaration?.path.endsWith("/src/db/postgres/Database.ts") === true
}

const typeOfArgument = (project: Project, given: ReadonlyArray<TypeNode> | undefined): Type | undefined =>
  given?.[0] === undefined ? undefined : project.checker.getTypeFromTypeNode(given[0])

const sitesIn = (project: Project, folder: string) => {
  const queries: Array<Site> = []
  const templates: Array<Site> = []
  for (const file of project.filesIn(folder)) {
    const nodes = nodesIn(file)
    project.readTypes(nodes.filter(is.isTaggedTemplateExpression).map(({ tag }) => tag))
    for (const node of nodes)
      if (isQuery(project, node)) {
        const [built] = node.arguments
        if (built !== undefined) queries.push({ node, built, rows: typeOfArgument(project, node.typeArguments) })
      } else if (is.isTaggedTemplateExpression(node) && isTag(project.typeOf(node.tag)))
        templates.push({ node, built: node, rows: typeOfArgument(project, node.typeArguments) })
  }
  return { queries, templates }
}

/**
 * Every statement of a folder: the arguments of `query`, each template with a row type, and the other templates that
 * are not part of another one.
 */
export const findStatements = (project: Project, folder: string, sql: postgres.Sql): Found => {
  const statements: Array<Statement> = []
  const unread: Array<string> = []
  const read = ({ node, built, rows }: Site) => {
    const place = project.placeOf(node)
    const parts = new Set<Node>()
    try {
      const forms = Choices.rounds((choices) => {
        const evaluation = new Evaluation(project, sql, choices, node, parts)
        if (!reaches(evaluation, node)) return []
        const value = evaluation.value(built, new Map())
        return [(typeof value === "function" ? value(sql) : value) as Form]
      }).flat()
      if (forms.length === 0) throw new Error("nothing reaches this statement")
      return { node, parts, statement: { place, rows, forms } }
    } catch (error) {
      return { node, parts, problem: `${place}: ${error instanceof Error ? error.message : String(error)}` }
    }
  }
  const add = (read: { readonly statement?: Statement; readonly problem?: string }) => {
    if (read.statement !== undefined) statements.push(read.statement)
    if (read.problem !== undefined) unread.push(read.problem)
  }

  const { queries, templates } = sitesIn(project, folder)
  const seen = new Set<Node>()
  for (const site of [...queries, ...templates.filter(({ rows }) => rows !== undefined)]) {
    const known = read(site)
    add(known)
    for (const part of known.parts) seen.add(part)
  }
  const others = templates.filter(({ node }) => !seen.has(node)).map(read)
  const isPartOfAnother = (node: Node) => others.some((other) => other.node !== node && other.parts.has(node))
  for (const other of others) if (!isPartOfAnother(other.node)) add(other)
  return { statements, unread }
}
