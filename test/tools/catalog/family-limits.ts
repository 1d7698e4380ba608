/**
 * Limits of families of models. Catalogues list the answer without its reasoning for some models,
 * and nothing for others; a hold must be an upper bound of both.
 */

/** Name, output, context; the first matching row applies. Names are compared in lower case. */
const FAMILIES: readonly (readonly [name: RegExp, output: number, context: number])[] = [
  // OpenAI
  [/^gpt-oss/, 131_072, 131_072],
  [/^(ft:)?gpt-3\.5-turbo-instruct/, 4_097, 8_192],
  [/^(ft:)?gpt-3\.5/, 4_096, 16_385],
  [/^gpt-4-32k/, 32_768, 32_768],
  [/^gpt-4-(turbo|0125|1106|vision)/, 4_096, 128_000],
  [/^(ft:)?gpt-4\.1/, 32_768, 1_047_576],
  [/^gpt-4o-2024-05-13$/, 4_096, 128_000],
  [/^gpt-4o.*-realtime/, 4_096, 128_000],
  [/^gpt-4o.*-transcribe/, 2_000, 16_000],
  [/^(ft:)?(gpt-4\.5|gpt-4o|chatgpt-4o|gpt-audio)/, 16_384, 128_000],
  [/^(ft:)?gpt-4($|-)/, 8_192, 8_192],
  [/^gpt-realtime-2\.1$/, 32_000, 128_000],
  [/^gpt-realtime/, 4_096, 128_000],
  [/^gpt-5-pro/, 272_000, 400_000],
  [/^gpt-5(\.\d)?-chat/, 16_384, 128_000],
  [/^gpt-5\.3-codex-spark/, 32_000, 128_000],
  [/^gpt-5(\.[0-3])?($|-)|^gpt-5\.4-(mini|nano)/, 128_000, 400_000],
  [/^gpt-([5-9]|daybreak)/, 128_000, 1_050_000],
  [/^o1-preview/, 32_768, 128_000],
  [/^o1-mini/, 65_536, 128_000],
  [/^(ft:)?o[134]($|-)|^codex-mini/, 100_000, 200_000],
  [/^computer-use-preview/, 1_024, 8_192],
  [/^(davinci|babbage)-002/, 4_096, 16_384],
  // Anthropic, at its own address and under cloud providers' names
  [/claude-(instant|2)/, 8_191, 200_000],
  [/claude-3-5-/, 8_192, 200_000],
  [/claude-3-7-/, 64_000, 200_000],
  [/claude-3-/, 4_096, 200_000],
  [/claude-(opus-4($|-[01]($|-)|-2|@)|4-opus)/, 32_000, 200_000],
  [/claude-(opus|haiku)-4-5/, 64_000, 200_000],
  [/claude-(sonnet-4($|-5|-2|@)|4-sonnet)/, 64_000, 1_000_000],
  [/claude/, 128_000, 1_000_000],
  // Google
  [/gemini-.*(native-audio|-live)/, 65_536, 1_048_576],
  [/gemini-2\.5-flash-image/, 32_768, 32_768],
  [/gemini-.*-image/, 65_536, 131_072],
  [/gemini-1\.5-pro|gemini-exp/, 65_536, 2_097_152],
  [/gemini-(1|2\.0)/, 8_192, 1_048_576],
  [/gemini/, 65_536, 1_048_576],
  [/gemma/, 32_768, 262_144],
  // Others
  [/deepseek-chat/, 8_192, 131_072],
  [/deepseek-reasoner|deepseek-r1/, 65_536, 131_072],
  [/deepseek-(v4|flash)/, 393_216, 1_000_000],
  [/deepseek/, 163_840, 163_840],
  [/grok-2-vision|grok-vision/, 32_768, 32_768],
  [/grok-(2|3|beta)/, 131_072, 131_072],
  [/grok-(4$|4-0709|4-latest|code|build)/, 256_000, 256_000],
  [/grok-4\.3/, 1_000_000, 1_000_000],
  [/grok-4\.[5-9]/, 500_000, 500_000],
  [/grok-4/, 2_000_000, 2_000_000],
  [/(moonshot|kimi-latest).*8k/, 8_192, 8_192],
  [/(moonshot|kimi-latest).*32k/, 32_768, 32_768],
  [/moonshot|kimi-(latest|thinking)/, 131_072, 131_072],
  [/kimi-k2/, 262_144, 262_144],
  [/kimi/, 1_048_576, 1_048_576],
  [/glm-4\.5v/, 32_000, 128_000],
  [/glm-4\.6v/, 32_768, 128_000],
  [/glm-4\.5/, 98_304, 131_072],
  [/glm-(4\.[67]|5($|-|v|\.1))/, 131_072, 204_800],
  [/glm-5/, 131_072, 1_000_000],
  [/qwen3\.[78]/, 131_072, 1_000_000],
  [/qwen3\.|qwen3-(max|coder)/, 65_536, 1_048_576],
  [/qwen-max|qwen-?[12]|qwen-vl|qwq|qvq/, 8_192, 131_072],
  [/qwen/, 32_768, 1_000_000],
  [/minimax-m2/, 131_072, 1_000_000],
  [/minimax/, 512_000, 1_000_000],
  [/(mi|mag|mix|dev|code)stral|pixtral|voxtral|mixtral/, 262_144, 262_144],
  [/command-a-plus/, 64_000, 128_000],
  [/command-a-reasoning/, 32_000, 256_000],
  [/command-a/, 8_000, 256_000],
  [/command/, 4_096, 128_000],
  [/llama/, 131_072, 131_072],
  [/sonar/, 128_000, 200_000],
];

export interface FamilyLimits {
  readonly output: number;
  readonly context: number;
}

export function familyLimits(name: string): FamilyLimits | undefined {
  const [, output, context] = FAMILIES.find(([pattern]) => pattern.test(name.toLowerCase())) ?? [];
  return output === undefined || context === undefined ? undefined : { output, context };
}
