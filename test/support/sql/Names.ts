import type {
  BindingElement,
  BindingPattern,
  CallExpression,
  Expression,
  Identifier,
  Node,
  ParameterDeclaration,
  ShorthandPropertyAssignment,
  SignatureDeclaration
} from "typescript/unstable/ast"
import { NodeFlags } from "typescript/unstable/ast"
import * as is from "typescript/unstable/ast/is"
import { SymbolFlags, type Type } from "typescript/unstable/sync"
import { callsOf, functionAround, functionsAround, listOf } from "./calls.ts"
import type { Bound, Evaluation } from "./Evaluation.ts"
import { Later } from "./Later.ts"
import { stringsOf } from "./types.ts"
import { Unknown } from "./Unknown.ts"

const now = (value: unknown): unknown => (value instanceof Later ? value.value : value)

/** The value of a parameter for which a call has no argument. */
export const LEFT_OUT = Symbol("left out")

/** The values of names: what they are bound to, or otherwise their declaration. */
export class Names {
  readonly #evaluation: Evaluation

  constructor(evaluation: Evaluation) {
    this.#evaluation = evaluation
  }

  value(name: Identifier, bound: Bound): unknown {
    const symbol = this.#evaluation.project.symbolOf(name)
    if (symbol === undefined) return this.#evaluation.unknown(name)
    if (bound.has(symbol.id)) return now(bound.get(symbol.id))
    const declaration = (symbol.valueDeclaration ?? symbol.declarations[0])?.resolve()
    return declaration === undefined ? this.#evaluation.unknown(name) : this.#declared(declaration, name, bound)
  }

  shorthand(property: ShorthandPropertyAssignment, bound: Bound): unknown {
    const { project } = this.#evaluation
    const symbol = project.checker.getShorthandAssignmentValueSymbol(property)
    if (symbol !== undefined && bound.has(symbol.id)) return now(bound.get(symbol.id))
    const declaration = (symbol?.valueDeclaration ?? symbol?.declarations[0])?.resolve()
    return declaration === undefined
      ? this.#evaluation.unknown(property.name)
      : this.#declared(declaration, property.name, bound)
  }

  /** Binds a parameter, and all names in it if it is a pattern. */
  bind(declared: ParameterDeclaration, given: unknown, into: Map<number, unknown>): void {
    const inside = new Map(into)
    const value = () => {
      const known = given === LEFT_OUT ? undefined : now(given)
      if (known === undefined && declared.initializer !== undefined)
        return this.#evaluation.value(declared.initializer, inside)
      return given === LEFT_OUT && declared.questionToken === undefined
        ? this.#evaluation.unknown(declared.name)
        : known
    }
    this.#bindName(declared.name, new Later(value), into)
  }

  #bindName(name: Node, value: unknown, into: Map<number, unknown>): void {
    if (is.isIdentifier(name)) {
      const symbol = this.#evaluation.project.symbolOf(name)
      if (symbol !== undefined) into.set(symbol.id, value)
      return
    }
    if (!is.isObjectBindingPattern(name) && !is.isArrayBindingPattern(name)) return
    for (const [index, element] of name.elements.entries()) {
      if (!is.isBindingElement(element) || element.name === undefined) continue
      const inside = new Map(into)
      this.#bindName(element.name, new Later(() => this.#part(element, index, now(value), inside)), into)
    }
  }

  /** The part of the value that an element of a pattern takes. */
  #part(element: Node, index: number, value: unknown, bound: Bound): unknown {
    if (!is.isBindingElement(element) || element.name === undefined) return undefined
    if (element.dotDotDotToken !== undefined) return this.#rest(element, value)
    if (value instanceof Unknown || value === null || value === undefined) return this.#evaluation.unknown(element.name)
    const key = is.isArrayBindingPattern(element.parent)
      ? String(index)
      : (element.propertyName ?? element.name).getText()
    const part = (value as Readonly<Record<string, unknown>>)[key]
    return part === undefined && element.initializer !== undefined
      ? this.#evaluation.value(element.initializer, bound)
      : part
  }

  /** The part that `...rest` takes: the fields of an object that the pattern does not name. */
  #rest(element: BindingElement, value: unknown): unknown {
    if (!is.isObjectBindingPattern(element.parent) || typeof value !== "object" || value === null)
      return this.#evaluation.unknown(element.name ?? element)
    const named = new Set(
      element.parent.elements.map((one) => (is.isBindingElement(one) ? (one.propertyName ?? one.name)?.getText() : ""))
    )
    const fields = value instanceof Unknown ? this.fieldsOf(value.type) : value
    return Object.fromEntries(Object.entries(fields).filter(([name]) => !named.has(name)))
  }

  /** The fields of an object whose type alone is known. */
  fieldsOf(type: Type): Record<string, Unknown> {
    const { checker } = this.#evaluation.project
    const properties = checker.getPropertiesOfType(checker.getNonNullableType(type) ?? type)
    const types = checker.getTypeOfSymbol(properties)
    return Object.fromEntries(
      properties.map((property, index) => {
        const of = types[index]
        if (of === undefined) throw new Error(`the compiler knows no type of ${property.name}`)
        // An optional field is not sent as undefined.
        const isOptional = (property.flags & SymbolFlags.Optional) !== 0
        return [property.name, new Unknown(of, isOptional)]
      })
    )
  }

  #declared(declaration: Node, name: Node, bound: Bound): unknown {
    if (is.isFunctionDeclaration(declaration)) return this.#evaluation.closure(declaration, bound)
    if (is.isVariableDeclaration(declaration)) return this.#variable(declaration, bound)
    if (is.isParameterDeclaration(declaration)) return this.#parameter(declaration, bound)
    if (is.isBindingElement(declaration)) {
      const pattern = declaration.parent as BindingPattern
      const whole = this.#declared(pattern.parent, pattern, bound)
      return this.#part(declaration, pattern.elements.indexOf(declaration as never), whole, bound)
    }
    return this.#evaluation.unknown(name)
  }

  #variable(declaration: Node, bound: Bound): unknown {
    if (!is.isVariableDeclaration(declaration)) return undefined
    const isConst =
      is.isVariableDeclarationList(declaration.parent) && (declaration.parent.flags & NodeFlags.Const) !== 0
    if (declaration.initializer !== undefined && isConst) return this.#evaluation.value(declaration.initializer, bound)
    const loop = declaration.parent.parent
    return is.isForOfStatement(loop)
      ? this.#oneOf(loop.expression, declaration.name, bound)
      : this.#evaluation.unknown(declaration.name)
  }

  /** An unbound parameter has the value that some call passes. */
  #parameter(declaration: ParameterDeclaration, bound: Bound): unknown {
    const { project } = this.#evaluation
    const type = project.typeOf(declaration.name)
    const fn = functionAround(declaration)
    if (fn === undefined || stringsOf(type) !== undefined) return this.#evaluation.ofType(type)
    const list = listOf(fn)
    if (list !== undefined && fn.parameters[0] === declaration) return this.#oneOf(list, declaration.name, bound)
    const call = this.#callOf(fn)
    const argument = call?.arguments[fn.parameters.indexOf(declaration as never)]
    if (argument !== undefined) return this.#evaluation.value(argument, new Map())
    return declaration.initializer === undefined
      ? this.#evaluation.ofType(type)
      : this.#evaluation.value(declaration.initializer, bound)
  }

  /**
   * A call of a function around the statement. A nested function is called where its outer function is called, so that
   * both calls are in one file if possible.
   */
  #callOf(fn: SignatureDeclaration): CallExpression | undefined {
    const { project, choices, root } = this.#evaluation
    const around = functionsAround(root)
    const inner = around[around.indexOf(fn) - 1]
    const file = inner === undefined ? undefined : this.#callOf(inner)?.getSourceFile()
    const calls = callsOf(project, fn)
    const near = calls.filter((call) => call.getSourceFile() === file)
    const likely = near.length === 0 ? calls : near
    return likely[choices.choose(`caller ${project.placeOf(fn)}`, likely.length)]
  }

  #oneOf(list: Expression, name: Node, bound: Bound): unknown {
    const { choices, project } = this.#evaluation
    const { value: items, answers } = choices.following(() => this.#evaluation.value(list, bound))
    if (!Array.isArray(items) || items.length === 0) return this.#evaluation.unknown(name)
    // Each list that this may be has different items.
    return items[choices.choose(`item ${project.placeOf(name)} of ${answers}`, items.length)] as unknown
  }
}
