/** placeholder until the prompt lands */
export const SERVICE_RULES = ""
