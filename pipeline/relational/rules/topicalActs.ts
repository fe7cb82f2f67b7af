import { by, news, type Rule } from "./actRule.ts"
import { isQuestion } from "./questions.ts"

const SAD_IN_PORTUGUESE = new RegExp(
  String.raw`(?<!\p{L})(?:triste|sozinh[ao]|cansad[ao]|doente|ansios[ao]|nervos[ao]|chorei|perdi|correu mal|` +
    String.raw`dia mau|mau dia|péssimo|chumbei|reprovei|fart[ao]|despedid[ao]|dói-me|doem-me|preocupad[ao])(?!\p{L})`,
  "iu"
)
const GLAD_IN_PORTUGUESE = new RegExp(
  String.raw`(?<!\p{L})(?:passei|consegui|ganhei|estou (?:tão |muito )?(?:feliz|contente)|correu bem|` +
    String.raw`boas notícias)(?!\p{L})`,
  "iu"
)
const FEELS_BAD = new RegExp(
  String.raw`\b(?:can'?t|couldn'?t|didn'?t|not|don'?t) (?:really |even |ever )?(?:sleep|get (?:the|it)|` +
    String.raw`stop (?:crying|thinking)|` +
    String.raw`happy|okay|ok|well|good|(?:always |so )?easy|feel(?:ing)? (?:good|well|great))\b`,
  "i"
)
/** "Not great honestly" answers "how are you". */
const SO_SO = new RegExp(
  String.raw`^\W{0,20}(?:(?:i'?m|well|honestly|to be honest|tbh|eh|meh|hm{1,9})[\s,.]{1,9}){0,4}(?:not (?:so |too |` +
    String.raw`that |really )?(?:great|good|well|okay|ok)|could be better|been better|i'?ve been better|` +
    String.raw`bit rough|rough|pretty bad|` +
    String.raw`nicht so gut|geht so|nem por isso|mais ou menos|não muito bem|no muy bien)` +
    String.raw`(?:[\s,.]{1,9}(?:honestly|tbh|really|today|to be honest|lately|at the moment|actually)){0,4}\W{0,20}$`,
  "iu"
)
const YOU_IN_PORTUGUESE = new RegExp(
  String.raw`(?<!\p{L})(?:tu|te|teus?|tuas?|ti|contigo|você|és|estás|tens|gostas|vives|moras|estudas|fazes|` +
    String.raw`falas|comes|queres|achas|sabes|podes|foste|viste|fizeste|conheces|acabares|aprendeste|comeste|` +
    String.raw`dormiste|lembras|voltavas|vais|ficas|aí|por aí)(?!\p{L})`,
  "iu"
)

/** Messages that are about something: news, questions, commands and plans. In order, after the social acts. */
export const TOPICAL_ACTS: ReadonlyArray<Rule> = [
  {
    act: "bad_news",
    fits: news(
      new RegExp(
        String.raw`\b(?:bad mood|flooded|stolen|robbed|crashed|shouted at|yelled at|my fault|lied|` +
          String.raw`it'?s (?:so |very |really )?(?:hard|dull|sad|awful|terrible|stupid)|` +
          String.raw`(?:is|are) (?:so |really )?(?:awful|terrible|horrible)|broke up|dumped|fired|laid off|failed|` +
          String.raw`sick|ill|in (?:the )?hospital|to (?:the )?hospital|sad|depressed|lonely|anxious|anxiety|` +
          String.raw`stressed|exhausted|crying|cried|` +
          String.raw`heartbroken|worried|scared|afraid|terrified|nervous|hurts?|rejected|divorced?|upset|overwhelmed|` +
          String.raw`burn(?:ed|t) out|hopeless|miserable|homesick|ashamed|stupid|a mess|falling apart|can'?t cope|` +
          String.raw`(?:bad|awful|terrible|horrible|rough|hard|long|worst|shit|shitty|crap|crappy|rubbish|grim|` +
          String.raw`tough) ` +
          String.raw`(?:day|week|night|year|time|news|morning)|feel(?:ing)? (?:\w+ )?` +
          String.raw`(?:bad|down|low|awful|terrible|empty|lost|alone|tired)|` +
          String.raw`i(?:'m| am)(?: \w+)? (?:tired|lost|alone|angry)|lost my|had a (?:\w+ )?fight|argu(?:ed|ment)|` +
          String.raw`hate my|kill(?:ing|s) me|drain(?:ing|s|ed)|worries me|knackered|worn out|fed up|struggling|` +
          String.raw`in pain|sore|` +
          String.raw`made redundant|let go|sacked|got mugged|(?:back|knees?|hips?|hands?|eyes|heart|legs?|tooth|` +
          String.raw`teeth) ` +
          String.raw`(?:is|are) (?:\w+ )?(?:going|bad|gone|playing up|shot))\b`,
        "i"
      )
    )
  },
  {
    act: "bad_news",
    fits: (text) => !isQuestion(text) && SAD_IN_PORTUGUESE.test(text)
  },
  {
    act: "good_news",
    fits: (text) => !isQuestion(text) && GLAD_IN_PORTUGUESE.test(text)
  },
  {
    act: "bad_news",
    fits: (text) => !isQuestion(text) && (FEELS_BAD.test(text) || SO_SO.test(text))
  },
  {
    act: "good_news",
    fits: news(
      new RegExp(
        String.raw`\b(?:it'?s my birthday|got (?:the|a|an|my) (?:\w+ )?` +
          String.raw`(?:job|place|offer|promotion|raise|degree|licen[cs]e|grade|dog|cat|puppy|kitten)|passed|won|` +
          String.raw`promoted|engaged|(?:i['’]?m|we['’]?re|i am|we are) getting married|accepted|pregnant|` +
          String.raw`graduated?|new job|` +
          String.raw`(?:great|good|best|amazing|wonderful|lovely|perfect) (?:day|news|week|time|mood)|it worked|` +
          String.raw`finally (?:did|finished|made|got)|i(?:'m| am)(?: \w+)? (?:happy|excited|proud|thrilled|in love)|` +
          String.raw`finished my|can'?t wait|feel(?:ing)? (?:\w+ )?(?:great|good|amazing|better|happy))\b`,
        "i"
      )
    )
  },
  {
    act: "question_self",
    fits: (text) =>
      isQuestion(text) &&
      /\b(?:you|your|yours|yourself|u|ur|ya|you're|youre)\b|\bthere\W*$|\blike (?:out |over |up )?there\b/i.test(text)
  },
  {
    act: "question_self",
    fits: (text) => isQuestion(text) && YOU_IN_PORTUGUESE.test(text)
  },
  {
    act: "question_self",
    fits: by(/^\W*(?:please |so |ok )*tell me (?:something|a thing) (?:about you|that |nobody |no one |you )/i)
  },
  { act: "question_world", fits: isQuestion },
  {
    act: "command",
    fits: by(
      new RegExp(
        String.raw`^\W*(?:please |can you |could you |now |ok )*(?:write|sing|draw|make|show|say|translate|` +
          String.raw`calculate|dance|describe|explain|list|name|give|tell|teach|do|play|send|pretend|imagine|act|` +
          String.raw`roll|count|guess|read|help|stop|be)\b`,
        "i"
      )
    )
  },
  {
    act: "plan",
    fits: by(
      new RegExp(
        String.raw`(?:^\W*(?:ok(?:ay)? )?ill (?=\w)|\b(?:i'll|i will|i'?m ` +
          String.raw`(?:going to|gonna|planning|thinking of)|i (?:want|plan|hope|need|should|might|have) to|i should|` +
          String.raw`maybe i|we're going|we'll)\b)`,
        "i"
      )
    )
  },
  { act: "command", fits: by(/^\W*(?:conta|fala|diz|canta|escreve|mostra|ensina)(?:-me)?\b/i) },
  { act: "disclosure", fits: by(/\b(?:i|i'?m|i'?ve|i'd|i'll|my|me|we|we're|our|mine)\b/i) },
  {
    act: "disclosure",
    fits: by(
      /(?<!\p{L})(?:eu|meus?|minhas?|sou|estou|tenho|gosto|moro|vivo|trabalho|estudo|chamo-me|nós|nosso)(?!\p{L})/iu
    )
  }
]
