import type { Node } from "typescript/unstable/ast"

/** A node and all nodes in it, in the order of the text. */
export const nodesIn = (node: Node): ReadonlyArray<Node> => {
  const nodes: Array<Node> = []
  const visit = (one: Node) => {
    nodes.push(one)
    one.forEachChild((child) => {
      visit(child)
      return undefined
    })
  }
  visit(node)
  return nodes
}
