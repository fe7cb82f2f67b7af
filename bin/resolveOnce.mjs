import { registerHooks } from "node:module"

/**
 * Resolves each import once. Node resolves every import of every module separately, with several disk accesses each,
 * and a start has six thousand imports. For our own files, the result depends only on the URL, and for packages only on
 * the name.
 */
const found = new Map()
registerHooks({
  resolve: (specifier, context, next) => {
    const { conditions, parentURL } = context
    const isRelative = specifier.startsWith(".")
    // require() has other rules, and a package may have its own dependencies.
    if (
      parentURL === undefined ||
      !conditions.includes("import") ||
      (!isRelative && parentURL.includes("/node_modules/"))
    )
      return next(specifier, context)
    const name = isRelative ? new URL(specifier, parentURL).href : specifier
    if (!found.has(name)) found.set(name, { ...next(specifier, context), shortCircuit: true })
    return found.get(name)
  }
})
