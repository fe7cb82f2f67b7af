/** A node of PostgreSQL's own parse tree of a statement, as printed: `{VAR :varno 1 :varattno 2}`. */
export interface TreeNode {
  readonly name: string
  readonly fields: Readonly<Record<string, Tree>>
}
export type Tree = string | null | TreeNode | ReadonlyArray<Tree>

const TOKEN = /[(){}]|(?:\\.|[^\s(){}\\])+/g

export const isNode = (tree: Tree | undefined): tree is TreeNode =>
  typeof tree === "object" && tree !== null && !Array.isArray(tree)
export const listOf = (tree: Tree | undefined): ReadonlyArray<Tree> => (Array.isArray(tree) ? tree : [])
export const nodesOf = (tree: Tree | undefined): ReadonlyArray<TreeNode> => listOf(tree).filter(isNode)
export const numberOf = (tree: Tree | undefined): number => (typeof tree === "string" ? Number(tree) : 0)

/** The first node in nested lists. */
export const firstNode = (tree: Tree | undefined): TreeNode | undefined =>
  isNode(tree) || tree === undefined ? tree : firstNode(listOf(tree)[0])

export const parseTree = (text: string): Tree => {
  const tokens = text.match(TOKEN) ?? []
  let at = 0
  const list = () => {
    const items: Array<Tree> = []
    while (tokens[at] !== ")") items.push(value())
    at++
    return items
  }
  const node = () => {
    const name = tokens[at++] ?? ""
    const fields: Record<string, Tree> = {}
    while (tokens[at] !== "}") {
      const field = tokens[at++] ?? ""
      // The bytes of a constant follow its length. They are skipped.
      if (field.startsWith(":")) fields[field.slice(1)] = value()
    }
    at++
    return { name, fields }
  }
  const value = (): Tree => {
    const token = tokens[at++]
    if (token === undefined) throw new Error("the tree ends in the middle")
    if (token === "(") return list()
    if (token === "{") return node()
    return token === "<>" ? null : token.replaceAll(/\\(.)/g, "$1")
  }
  return value()
}
