import type postgres from "postgres"
import type {
  BinaryExpression,
  Block,
  CallExpression,
  ConciseBody,
  ElementAccessExpression,
  Expression,
  NewExpression,
  Node,
  ObjectLiteralExpression,
  SignatureDeclaration,
  TaggedTemplateExpression,
  TemplateExpression
} from "typescript/unstable/ast"
import { SyntaxKind } from "typescript/unstable/ast"
import * as is from "typescript/unstable/ast/is"
import { callBuiltin } from "./callBuiltin.ts"
import type { Choices } from "./Choices.ts"
import { Later } from "./Later.ts"
import { LEFT_OUT, Names } from "./Names.ts"
import { parameter } from "./parameter.ts"
import type { Project } from "./Project.ts"
import { providedFor } from "./providedFor.ts"
import { isTag, onlyValueOf, stringsOf } from "./types.ts"
import { Unknown } from "./Unknown.ts"

/** The values of names, by the ids of their symbols. */
export type Bound = ReadonlyMap<number, unknown>

/**
 * Interprets the source code that builds a statement, and builds it with the program's own driver. If a condition
 * depends on a value at run time, `choices` decides it. The value itself becomes a parameter.
 */
export class Evaluation {
  readonly project: Project
  readonly sql: postgres.Sql
  readonly choices: Choices
  /** Where the statement is built. */
  readonly root: Node
  /** Each template that has become part of a statement. */
  readonly #visited: Set<Node>
  readonly #names: Names

  constructor(project: Project, sql: postgres.Sql, choices: Choices, root: Node, visited: Set<Node>) {
    this.root = root
    this.project = project
    this.sql = sql
    this.choices = choices
    this.#visited = visited
    this.#names = new Names(this)
  }

  value(node: Expression, bound: Bound): unknown {
    if (
      is.isParenthesizedExpression(node) ||
      is.isAsExpression(node) ||
      is.isSatisfiesExpression(node) ||
      is.isNonNullExpression(node)
    )
      return this.value(node.expression, bound)
    if (is.isTaggedTemplateExpression(node)) return this.#statement(node, bound)
    if (is.isStringLiteral(node) || is.isNoSubstitutionTemplateLiteral(node)) return node.text
    if (is.isNumericLiteral(node)) return Number(node.text)
    if (node.kind === SyntaxKind.TrueKeyword) return true
    if (node.kind === SyntaxKind.FalseKeyword) return false
    if (node.kind === SyntaxKind.NullKeyword) return null
    if (is.isArrowFunction(node) || is.isFunctionExpression(node)) return this.closure(node, bound)
    if (is.isIdentifier(node) || is.isPropertyAccessExpression(node))
      if (isTag(this.project.typeOf(node))) return this.sql
    if (is.isIdentifier(node)) return node.text === "undefined" ? undefined : this.#names.value(node, bound)
    if (is.isConditionalExpression(node))
      return this.value(this.#holds(node.condition, bound) ? node.whenTrue : node.whenFalse, bound)
    if (is.isPropertyAccessExpression(node))
      return this.#property(this.value(node.expression, bound), node.name.text, node)
    if (is.isElementAccessExpression(node)) return this.#element(node, bound)
    if (is.isCallExpression(node)) return this.#call(node, bound)
    if (is.isTemplateExpression(node)) return this.#text(node, bound)
    if (is.isArrayLiteralExpression(node))
      return node.elements.flatMap((item) => {
        if (!is.isSpreadElement(item)) return [this.value(item, bound)]
        const items = this.value(item.expression, bound)
        return Array.isArray(items) ? items : [items]
      })
    if (is.isObjectLiteralExpression(node)) return this.#object(node, bound)
    if (is.isBinaryExpression(node)) return this.#binary(node, bound)
    if (is.isNewExpression(node)) return this.#made(node, bound)
    if (is.isTypeOfExpression(node)) {
      const of = this.value(node.expression, bound)
      return of instanceof Unknown ? this.unknown(node) : typeof of
    }
    if (is.isYieldExpression(node)) {
      const provided = node.expression && providedFor(this.project, node.expression)
      return provided === undefined ? this.unknown(node) : this.value(provided, new Map())
    }
    if (is.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken)
      return !this.#holds(node.operand, bound)
    return this.unknown(node)
  }

  unknown(node: Node): unknown {
    return this.ofType(this.project.typeOf(node))
  }

  ofType(type: Unknown["type"]): unknown {
    const only = onlyValueOf(type)
    return only === undefined ? new Unknown(type) : only.value
  }

  closure(node: SignatureDeclaration, bound: Bound) {
    return (...given: ReadonlyArray<unknown>): unknown => {
      const inner = new Map(bound)
      for (const [index, declared] of node.parameters.entries()) {
        const value = index < given.length ? given[index] : LEFT_OUT
        this.#names.bind(declared, value, inner)
      }
      const body = (node as unknown as { readonly body?: ConciseBody }).body
      if (body === undefined) return undefined
      if (!is.isBlock(body)) return this.value(body as Expression, inner)
      return this.#run(body, inner)?.value
    }
  }

  /** What a block returns. */
  #run(block: Block, bound: Bound): { readonly value: unknown } | undefined {
    for (const statement of block.statements) {
      const returned = this.#runStatement(statement, bound)
      if (returned !== undefined) return returned
    }
    return undefined
  }

  #runStatement(statement: Node, bound: Bound): { readonly value: unknown } | undefined {
    if (is.isReturnStatement(statement))
      return { value: statement.expression === undefined ? undefined : this.value(statement.expression, bound) }
    if (is.isBlock(statement)) return this.#run(statement, bound)
    if (is.isIfStatement(statement)) {
      const branch = this.#holds(statement.expression, bound) ? statement.thenStatement : statement.elseStatement
      return branch === undefined ? undefined : this.#runStatement(branch, bound)
    }
    return undefined
  }

  #statement(node: TaggedTemplateExpression, bound: Bound) {
    if (!isTag(this.project.typeOf(node.tag))) return this.unknown(node)
    this.#visited.add(node)
    const { template } = node
    const texts = is.isTemplateExpression(template)
      ? [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)]
      : [template.text]
    const values = is.isTemplateExpression(template)
      ? template.templateSpans.map(({ expression }) => this.#interpolated(expression, bound))
      : []
    const strings = Object.assign([...texts], { raw: texts })
    return this.sql(strings, ...(values as Array<never>))
  }

  #interpolated(node: Expression, bound: Bound): unknown {
    const type = this.project.typeOf(node)
    if (!this.project.isPart(type)) return parameter(this.sql, new Unknown(type))
    const value = this.value(node, bound)
    if (value === null) return parameter(this.sql, new Unknown(this.project.checker.getNullType()))
    if (!(value instanceof Unknown)) return value
    if (!this.project.isPart(value.type)) return parameter(this.sql, value)
    throw new Error(`${this.project.placeOf(node)}: cannot tell what SQL this is`)
  }

  #holds(node: Expression, bound: Bound): boolean {
    const value = this.value(node, bound)
    if (!(value instanceof Unknown)) return Boolean(value)
    return this.choices.choose(`${node.getSourceFile().fileName} ${node.getText()}`, 2) === 0
  }

  #property(of: unknown, name: string, node: Node): unknown {
    if (of instanceof Unknown || of === null || of === undefined) return this.unknown(node)
    if (of === this.sql) return (of as unknown as Record<string, unknown>)[name]
    const value = (of as Readonly<Record<string, unknown>>)[name]
    const isWhole = Object.getPrototypeOf(of) === Object.prototype
    return value === undefined && !isWhole && !Object.hasOwn(of, name) ? this.unknown(node) : value
  }

  #element(node: ElementAccessExpression, bound: Bound): unknown {
    const of = this.value(node.expression, bound)
    if (of instanceof Unknown) return this.unknown(node)
    if (node.questionDotToken !== undefined && (of === undefined || of === null)) return undefined
    const keys = this.strings(this.value(node.argumentExpression, bound), node.argumentExpression)
    return this.#property(of, String(keys), node)
  }

  /** A name, or one of the names that its type allows. */
  strings(value: unknown, node: Node): unknown {
    if (!(value instanceof Unknown)) return Array.isArray(value) ? value.map((item) => this.strings(item, node)) : value
    const strings = stringsOf(this.project.typeOf(node)) ?? stringsOf(value.type)
    if (strings === undefined)
      throw new Error(`${this.project.placeOf(node)}: cannot tell the name in ${node.getText()}`)
    return strings[this.choices.choose(`name ${node.getSourceFile().fileName} ${node.getText()}`, strings.length)]
  }

  #call(node: CallExpression, bound: Bound): unknown {
    const callee = node.expression
    const given = () => node.arguments.map((argument) => this.value(argument, bound))
    const later = () => node.arguments.map((argument) => new Later(() => this.value(argument, bound)))
    if (isTag(this.project.typeOf(callee))) {
      const [first] = given()
      return this.sql(this.#named(first, node) as never)
    }
    if (is.isPropertyAccessExpression(callee)) {
      const name = callee.name.text
      if (isTag(this.project.typeOf(callee.expression)))
        return name === "unsafe" ? this.sql.unsafe(this.#raw(given()[0])) : this.unknown(node)
      if (callee.getText() === "Object.keys") return this.#keys(given()[0], node)
      const receiver = this.value(callee.expression, bound)
      const builtin = callBuiltin(receiver, name, given)
      if (builtin !== undefined) return builtin.value
      if (receiver instanceof Unknown && name === "map" && this.project.isPart(this.project.typeOf(node))) {
        const [each] = given()
        if (typeof each === "function") return [0, 1].map((index) => each(LEFT_OUT, index) as unknown)
      }
      if (typeof receiver !== "object" || receiver instanceof Set) return this.unknown(node)
      const method = Array.isArray(receiver) ? undefined : this.#property(receiver, name, callee)
      return typeof method === "function" ? method(...later()) : this.unknown(node)
    }
    const fn = this.value(callee, bound)
    return typeof fn === "function" ? fn(...later()) : this.unknown(node)
  }

  #made(node: NewExpression, bound: Bound): unknown {
    const [items] = node.expression.getText() === "Set" ? (node.arguments ?? []) : []
    const list = items && this.value(items, bound)
    return Array.isArray(list) ? new Set(list) : this.unknown(node)
  }

  /** The arguments of `sql(...)`: names, or columns with their values. */
  #named(value: unknown, node: CallExpression): unknown {
    const [argument] = node.arguments
    const isNames = typeof value !== "object" || value === null || Array.isArray(value)
    if (isNames || (value instanceof Unknown && stringsOf(value.type) !== undefined))
      return this.strings(value, argument ?? node)
    const types = argument === undefined ? {} : this.#names.fieldsOf(this.project.typeOf(argument))
    const names = value instanceof Unknown ? Object.keys(types) : Object.keys(value)
    return Object.fromEntries(names.map((name) => [name, types[name] && parameter(this.sql, types[name])]))
  }

  #keys(of: unknown, node: Node): unknown {
    return typeof of === "object" && of !== null && !(of instanceof Unknown) ? Object.keys(of) : this.unknown(node)
  }

  #raw(value: unknown): string {
    return value instanceof Unknown ? "1" : String(value)
  }

  #text(node: TemplateExpression, bound: Bound): unknown {
    const parts = node.templateSpans.map(({ expression }) => this.value(expression, bound))
    if (parts.some((part) => part instanceof Unknown && stringsOf(part.type) === undefined)) return this.unknown(node)
    return node.templateSpans.reduce(
      (text, { expression, literal }, index) => text + String(this.strings(parts[index], expression)) + literal.text,
      node.head.text
    )
  }

  #object(node: ObjectLiteralExpression, bound: Bound) {
    const fields: Record<string, unknown> = {}
    for (const property of node.properties) {
      if (is.isPropertyAssignment(property)) fields[property.name.getText()] = this.value(property.initializer, bound)
      else if (is.isShorthandPropertyAssignment(property))
        fields[property.name.getText()] = this.#names.shorthand(property, bound)
      else if (is.isSpreadAssignment(property)) {
        const spread = this.value(property.expression, bound)
        Object.assign(fields, spread instanceof Unknown ? this.#names.fieldsOf(spread.type) : spread)
      }
    }
    return fields
  }

  #binary(node: BinaryExpression, bound: Bound): unknown {
    const operator = node.operatorToken.kind
    const left = this.value(node.left, bound)
    if (operator === SyntaxKind.AmpersandAmpersandToken)
      return this.#holds(node.left, bound) ? this.value(node.right, bound) : false
    if (operator === SyntaxKind.BarBarToken) return this.#holds(node.left, bound) || this.value(node.right, bound)
    if (operator === SyntaxKind.QuestionQuestionToken) {
      if (!(left instanceof Unknown)) return left ?? this.value(node.right, bound)
      return this.choices.choose(`${node.getSourceFile().fileName} ${node.left.getText()} is there`, 2) === 0
        ? new Unknown(this.project.checker.getNonNullableType(left.type) ?? left.type)
        : this.value(node.right, bound)
    }
    const right = this.value(node.right, bound)
    if (left instanceof Unknown || right instanceof Unknown) return this.unknown(node)
    if (operator === SyntaxKind.InKeyword) return Object.hasOwn(right as object, String(left))
    if (operator === SyntaxKind.EqualsEqualsEqualsToken) return left === right
    if (operator === SyntaxKind.ExclamationEqualsEqualsToken) return left !== right
    return this.unknown(node)
  }
}
