import type { Node } from "typescript/unstable/ast"
import * as is from "typescript/unstable/ast/is"
import { nodesIn } from "./nodesIn.ts"
import type { Project } from "./Project.ts"
import { membersOf } from "./types.ts"

/** The row that a field is read from: `row.field`, `row["field"]` and `{ field }`. */
const wholesIn = (file: Node): ReadonlyArray<Node> =>
  nodesIn(file).flatMap((node): ReadonlyArray<Node> => {
    if (is.isPropertyAccessExpression(node) || is.isElementAccessExpression(node)) return [node.expression]
    return is.isObjectBindingPattern(node) ? [node] : []
  })

/** Where fields of untyped rows are read: the driver types them as `any`. */
export const untypedReads = (project: Project, folder: string): ReadonlyArray<string> =>
  project.filesIn(folder).flatMap((file) => {
    if (!nodesIn(file).some(is.isTaggedTemplateExpression)) return []
    const wholes = wholesIn(file)
    const types = project.checker.getTypeAtLocation(wholes)
    return wholes.flatMap((whole, index) => {
      const type = types[index]
      const isUntyped =
        type !== undefined &&
        membersOf(type).some((member) => {
          const symbol = member.getSymbol()
          return (
            symbol?.name === "Row" && symbol.declarations.some(({ path }) => path.includes("/node_modules/postgres/"))
          )
        })
      return isUntyped ? [`${project.placeOf(whole)}: a field of a row without a type`] : []
    })
  })
