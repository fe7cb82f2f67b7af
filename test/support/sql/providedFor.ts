import type { Expression, Node } from "typescript/unstable/ast"
import * as is from "typescript/unstable/ast/is"
import type { Project } from "./Project.ts"

const LAYERS = ["succeed", "sync", "effect"]

/**
 * The value that the program provides for a service with `Layer.succeed(service, value)`. Undefined: it is constructed.
 */
export const providedFor = (project: Project, service: Node): Expression | undefined => {
  if (!is.isIdentifier(service)) return undefined
  const symbol = project.symbolOf(service)
  const layers = LAYERS.flatMap((name) => project.callsNamed(name)).filter(({ expression, arguments: [of] }) => {
    if (!expression.getText().startsWith("Layer.") || of === undefined || !is.isIdentifier(of)) return false
    return project.symbolOf(of)?.id === symbol?.id
  })
  const [only, another] = layers
  return another === undefined && only?.expression.getText() === "Layer.succeed" ? only.arguments[1] : undefined
}
