import { resolve } from "node:path"
import type { CallExpression, ImportSpecifier, Node } from "typescript/unstable/ast"
import * as is from "typescript/unstable/ast/is"
import { API, type Checker, type Symbol as NamedSymbol, SymbolFlags, type Type } from "typescript/unstable/sync"
import { nodesIn } from "./nodesIn.ts"
import { readModules } from "#test/support/modules.ts"

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

  constructor(folders: ReadonlyArray<string>) {
    this.#api = new API({ cwd: ROOT })
    const config = resolve(ROOT, "tsconfig.json")
    const project = this.#api.updateSnapshot({ openProjects: [config] }).getProject(config)
    if (project === undefined) throw new Error("the compiler found no project")
    this.checker = project.checker
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

  /** The declaration of a name, across imports. */
  symbolOf(node: Node): NamedSymbol | undefined {
    if (this.#symbols.has(node)) return this.#symbols.get(node)
    const symbol = this.checker.getSymbolAtLocation(node)
    const isImport = symbol !== undefined && (symbol.flags & SymbolFlags.Alias) !== 0
    const meant = isImport ? this.checker.getAliasedSymbol(symbol) : symbol
    this.#symbols.set(node, meant)
    return meant
  }
}
