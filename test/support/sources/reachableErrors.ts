import { type AnyNode, type CallExpression, type Identifier, type Node, parse } from "acorn"
import { full, fullAncestor } from "acorn-walk"
import { readdirSync, readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { resolve } from "node:path"

const SRC = resolve(import.meta.dirname, "../../../src")
const METHODS: ReadonlySet<string> = new Set(["get", "post", "put", "patch", "delete"])

interface Module {
  /** Local name to the module and the name there. */
  readonly imports: ReadonlyMap<string, readonly [file: string, name: string]>
  /** Top-level declarations by name. */
  readonly declared: ReadonlyMap<string, Node>
  readonly body: Node
}

const resolveImport = (from: string, specifier: string): string | null =>
  specifier.startsWith("#src/")
    ? resolve(SRC, specifier.slice("#src/".length))
    : specifier.startsWith(".")
      ? resolve(from, "..", specifier)
      : null

const readModule = (file: string): Module => {
  const body = parse(stripTypeScriptTypes(readFileSync(file, "utf8")), { ecmaVersion: "latest", sourceType: "module" })
  const imports = new Map<string, readonly [string, string]>()
  const declared = new Map<string, Node>()
  for (const outer of body.body) {
    if (outer.type === "ImportDeclaration") {
      const path = resolveImport(file, String(outer.source.value))
      if (path === null) continue
      for (const one of outer.specifiers)
        if (one.type === "ImportSpecifier") imports.set(one.local.name, [path, (one.imported as Identifier).name])
      continue
    }
    const node = outer.type === "ExportNamedDeclaration" ? outer.declaration : outer
    if (node?.type === "VariableDeclaration")
      for (const one of node.declarations) if (one.id.type === "Identifier") declared.set(one.id.name, one)
    if (node?.type === "FunctionDeclaration") declared.set(node.id.name, node)
  }
  return { imports, declared, body }
}

/** The names that a node uses, without those of properties. */
const namesIn = (node: Node): ReadonlySet<string> => {
  const names = new Set<string>()
  full(node, (found) => {
    if (found.type === "Identifier") names.add((found as Identifier).name)
  })
  return names
}

/** The names declared inside of a function, with what declares them. */
const localsOf = (node: Node): ReadonlyMap<string, Node> => {
  const locals = new Map<string, Node>()
  full(node, (found) => {
    const one = found as AnyNode
    if (one.type === "VariableDeclarator" && one.id.type === "Identifier") locals.set(one.id.name, one)
  })
  return locals
}

/** The code of `defineError(status, code, ...)`. */
const codeOf = (node: Node): string | null => {
  const { type, init } = node as AnyNode & { init?: AnyNode }
  if (type !== "VariableDeclarator" || init?.type !== "CallExpression") return null
  const { callee, arguments: given } = init
  if (callee.type !== "Identifier" || callee.name !== "defineError" || given[1]?.type !== "Literal") return null
  return String(given[1].value)
}

/**
 * The codes of the errors that each registered route names, in its options, its handler and everything that they use
 * in src/http: what the route can answer, as far as its source tells. By operationId.
 */
export const reachableErrors = (): ReadonlyMap<string, ReadonlySet<string>> => {
  const modules = new Map<string, Module>()
  const moduleAt = (file: string): Module | null => {
    if (!file.startsWith(resolve(SRC, "http"))) return null
    const module = modules.get(file) ?? readModule(file)
    modules.set(file, module)
    return module
  }

  const reach = (file: string, node: Node, locals: ReadonlyMap<string, Node>, seen: Set<Node>, codes: Set<string>) => {
    if (seen.has(node)) return
    seen.add(node)
    const code = codeOf(node)
    if (code !== null) return void codes.add(code)
    const module = moduleAt(file)
    if (module === null) return
    for (const name of namesIn(node)) {
      const imported = module.imports.get(name)
      const local = locals.get(name)
      const declared = module.declared.get(name)
      if (local !== undefined) reach(file, local, locals, seen, codes)
      else if (declared !== undefined) reach(file, declared, new Map(), seen, codes)
      else if (imported !== undefined) {
        const target = moduleAt(imported[0])?.declared.get(imported[1])
        if (target !== undefined) reach(imported[0], target, new Map(), seen, codes)
      }
    }
  }

  const routes = new Map<string, Set<string>>()
  for (const name of readdirSync(resolve(SRC, "http"), { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".ts")) continue
    const file = resolve(SRC, "http", name)
    const module = moduleAt(file)
    if (module === null) continue
    fullAncestor(module.body, (found, _, ancestors) => {
      const call = found as CallExpression
      if (call.type !== "CallExpression" || call.callee.type !== "MemberExpression") return
      const { object, property } = call.callee
      if (object.type !== "Identifier" || property.type !== "Identifier" || !METHODS.has(property.name)) return
      if (call.arguments.length < 3 || call.arguments[1]?.type !== "ObjectExpression") return
      const enclosing = ancestors.find(({ type }) => type === "VariableDeclaration") ?? module.body
      const source = readFileSync(file, "utf8").slice(call.start, call.end)
      const [, operationId = `${name}:${call.start}`] = /operationId: ["`]([^"`]+)["`]/.exec(source) ?? []
      const codes = new Set<string>()
      reach(file, { ...call, callee: property } as Node, localsOf(enclosing), new Set(), codes)
      routes.set(operationId, codes)
    })
  }
  return routes
}
