import { registerHooks } from "node:module"

/** For generators that print with TypeScript's API, which TypeScript 7 does not have. Import them after this. */
export const withTypeScript5 = () =>
  registerHooks({
    resolve: (specifier, context, next) => next(specifier === "typescript" ? "typescript5" : specifier, context)
  })
