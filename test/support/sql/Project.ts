import { resolve } from "node:path"
import type { CallExpression, ImportSpecifier, Node } from "typescript/unstable/ast"
import * as is from "typescript/unstable/ast/is"
import {
  API,
  type Checker,
  type Signature,
  type Symbol as NamedSymbol,
  SymbolFlags,
  type Type
} from "typescript/unstable/sync"
import { nodesIn } from "./nodesIn.ts"
import { partsIn } from "./types.ts"
import { readModules } from "#test/support/sources/modules.ts"

const ROOT = resolve(import.meta.dirname, "../../..")

const calledName = ({ expression: callee }: CallExpression) =>
  is.isPropertyAccessExpression(callee) ? callee.name.text : is.isIdentifier(callee) ? callee.text : ""

/** The sources as the compiler sees them. */
export class Project implements Disposable {
  readonly checker: Checker
  /** Parsed files by their path from the root, read on demand. */
  readonly files: ReadonlyMap<string, Node>
  /** Call sites of functions, collected on demand. */
  readonly calls = new Map<Node, ReadonlyArray<CallExpression>>()
  readonly #api: API
  #named: ReadonlyMap<string, ReadonlyArray<CallExpression>> | undefined
  #imported: ReadonlyMap<string, ReadonlyArray<ImportSpecifier>> | undefined
  readonly #types = new Map<Node, Type>()
  readonly #symbols = new Map<Node, NamedSymbol | undefined>()
  readonly #signatures = new Map<CallExpression, Signature | undefined>()
  /** Whether a type is a piece of SQL, and not a parameter. */
  readonly isPart: (type: Type) => boolean

  constructor(folders: ReadonlyArray<string>) {
    this.#api = new API({ cwd: ROOT })
    const config = resolve(ROOT, "tsconfig.json")
    const project = this.#api.updateSnapshot({ openProjects: [config] }).getProject(config)
    if (project === undefined) throw new Error("the compiler found no project")
    this.checker = project.checker
    this.isPart = partsIn(project.checker)
    this.files = new Map(
      readModules(folders).map(({ path }) => {
        const file = project.program.getSourceFile(resolve(ROOT, path))
        if (file === undefined) throw new Error(`the compiler has not read ${path}`)
        return [path, file]
      })
    )
  }

  filesIn(folder: string): ReadonlyArray<Node> {
    return [...this.files].filter(([path]) => path.startsWith(`${folder}/`)).map(([, file]) => file)
  }

  [Symbol.dispose]() {
    this.#api.close()
  }

  /** Every call of this name, or of a name that it is imported as. */
  callsNamed(name: string): ReadonlyArray<CallExpression> {
    const nodes = () => [...this.files.values()].flatMap(nodesIn)
    this.#named ??= Map.groupBy(nodes().filter(is.isCallExpression), calledName)
    this.#imported ??= Map.groupBy(nodes().filter(is.isImportSpecifier), (one) => one.propertyName?.getText() ?? "")
    const names = new Set([name, ...(this.#imported.get(name) ?? []).map((one) => one.name.getText())])
    return [...names].flatMap((one) => this.#named?.get(one) ?? [])
  }

  /** Where a node starts, such as `src/db/billing/Ledger.ts:41`. */
  placeOf(node: Node): string {
    const file = node.getSourceFile()
    const line = file.text.slice(0, node.getStart()).split("\n").length
    return `${file.fileName.slice(ROOT.length + 1)}:${line}`
  }

  typeOf(node: Node): Type {
    const known = this.#types.get(node) ?? this.checker.getTypeAtLocation(node)
    if (known === undefined) throw new Error(`${this.placeOf(node)}: the compiler knows no type of this`)
    this.#types.set(node, known)
    return known
  }

  /** Asks for many types at once, because each question to the compiler waits for another process. */
  readTypes(nodes: ReadonlyArray<Node>): void {
    const unread = nodes.filter((node) => !this.#types.has(node))
    for (const [index, type] of this.checker.getTypeAtLocation(unread).entries()) {
      const node = unread[index]
      if (node !== undefined && type !== undefined) this.#types.set(node, type)
    }
  }

  /** Asks for many declarations at once. */
  readSymbols(nodes: ReadonlyArray<Node>): void {
    const unread = nodes.filter((node) => !this.#symbols.has(node))
    for (const [index, symbol] of this.checker.getSymbolAtLocation(unread).entries()) {
      const node = unread[index]
      if (node !== undefined) this.#symbols.set(node, this.#acrossImports(symbol))
    }
  }

  /** The declaration of a name, across imports. */
  symbolOf(node: Node): NamedSymbol | undefined {
    if (!this.#symbols.has(node)) this.#symbols.set(node, this.#acrossImports(this.checker.getSymbolAtLocation(node)))
    return this.#symbols.get(node)
  }

  #acrossImports(symbol: NamedSymbol | undefined): NamedSymbol | undefined {
    const isImport = symbol !== undefined && (symbol.flags & SymbolFlags.Alias) !== 0
    return isImport ? this.checker.getAliasedSymbol(symbol) : symbol
  }

  /** What a call calls, after overloads and inference. */
  signatureOf(call: CallExpression): Signature | undefined {
    if (!this.#signatures.has(call)) this.#signatures.set(call, this.checker.getResolvedSignature(call))
    return this.#signatures.get(call)
  }
}
