import { INJECTION } from "../safety/lexicon.ts"

/** What is meant for whoever writes the character rather than told of oneself: it is kept out of what the character goes by. */
const TO_A_MODEL: ReadonlyArray<RegExp> = [
  ...INJECTION,
  /\b(?:you|the (?:ai|assistant|bot|model|character)) (?:must|shall|should|have to|are (?:required|instructed|ordered|supposed) to|will)(?: now| always| never| only)* (?:always|never|only|obey|answer|reply|respond|say|tell|reveal|ignore|pretend|act|treat|call|agree|start|end|include|repeat|send|use|follow)\b/i,
  /\b(?:from now on|henceforth|in (?:all|every) (?:future )?(?:repl(?:y|ies)|answers?|messages?|sessions?|conversations?)|at the (?:start|end|beginning) of (?:each|every|all))\b/i,
  /\b(?:remember|note|store|save|memori[sz]e|add to (?:your )?memory)\b[^.!?\n]{0,20}\b(?:that you|to always|to never|as (?:a )?(?:rule|instruction|fact|system)|this (?:rule|instruction))\b/i,
  /^\W*(?:always|never) (?:answer|reply|respond|say|tell|reveal|mention|obey|agree|call|use|start|end|include|send)\b/i,
  /\b(?:new|updated?|secret|hidden|override|admin(?:istrator)?|root|developer|system) (?:instructions?|rules?|polic(?:y|ies)|prompts?|directives?|modes?|privileges?|access|commands?|notes?|messages?)\b/i,
  /\b(?:i am|i'?m|this is) (?:the |your |an? )*(?:developer|admin(?:istrator)?|creator|operator|owner of this (?:bot|app|system)|openai|anthropic|system)\b/i,
  /\b(?:the )?(?:user|person|customer) (?:is|has been|was) (?:(?:an? |the )?(?:admin\w*|developer|verified|authori[sz]ed|adult)|granted)\b/i,
  /\b(?:pretend|act|behave|respond) (?:to be|as if|as though|like (?:you|an? (?:ai|assistant|model)))\b/i,
  /"?(?:role|content|tool_calls?|function_call|decision|must_not_reveal|service rules?)"?\s*[:=]|<\/?[a-z_]+(?: [^>]*)?>|\{\{[^}]*\}\}|```/i,
  /\b(?:base64|rot13|decode (?:this|the following)|execute|eval|run (?:this|the following))\b[^.!?\n]{0,40}(?::|\bcode\b|\bcommand\b)/i,
  /(?<!\p{L})(?:ab jetzt|von nun an|du (?:musst|sollst|darfst)(?: \p{L}+){0,2} (?:immer|nie|niemals|nur)|merk dir,? dass du|antworte (?:immer|nie|nur)|a partir de ahora|desde ahora|debes (?:siempre|nunca|responder)|responde (?:siempre|solo)|à partir de maintenant|désormais,? tu|tu dois (?:toujours|répondre|obéir)|a partir de agora|deves (?:sempre|nunca|responder)|responde sempre)(?!\p{L})/iu
]

/** Whether a text tries to instruct a model. */
export const instructs = (text: string): boolean => TO_A_MODEL.some((pattern) => pattern.test(text))
