/** Configuration and code for common clients, with address, key and model filled in. */
import type { Snippet } from '../../../components/content/SnippetTabs.tsx';

export interface SnippetFacts {
  /** The gateway's public address, without `/v1` and trailing slash. */
  readonly url: string;
  readonly key: string;
  readonly model: string;
}

interface Row {
  readonly key: string;
  readonly name: string;
  readonly code: (facts: SnippetFacts) => string;
}

const ROWS: readonly Row[] = [
  {
    key: 'curl',
    name: 'curl',
    code: ({ url, key, model }) => `curl ${url}/v1/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "${model}",
    "messages": [{"role": "user", "content": "Hello"}]
  }'`,
  },
  {
    key: 'python',
    name: 'Python',
    code: ({ url, key, model }) => `from openai import OpenAI

client = OpenAI(
    base_url="${url}/v1",
    api_key="${key}",
)
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,
  },
  {
    key: 'node',
    name: 'Node.js',
    code: ({ url, key, model }) => `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${url}/v1',
  apiKey: '${key}',
});
const answer = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.choices[0].message.content);`,
  },
  {
    // The address is without /v1. An Anthropic API key in the environment would override the token.
    key: 'claude-code',
    name: 'Claude Code',
    code: ({ url, key, model }) => `unset ANTHROPIC_API_KEY
export ANTHROPIC_BASE_URL="${url}"
export ANTHROPIC_AUTH_TOKEN="${key}"
export ANTHROPIC_MODEL="${model}"
claude
# /status shows the address in use`,
  },
  {
    // The provider id must not be a built-in one, and `wire_api` must be "responses".
    key: 'codex',
    name: 'Codex',
    code: ({ url, key, model }) => `# ~/.codex/config.toml
model = "${model}"
model_provider = "gateway"

[model_providers.gateway]
name = "Gateway"
base_url = "${url}/v1"
env_key = "GATEWAY_API_KEY"
wire_api = "responses"

# in the shell that starts codex:
# export GATEWAY_API_KEY="${key}"`,
  },
  {
    // Without this setting a base URL is refused: "Invalid auth method selected".
    key: 'gemini-cli',
    name: 'Gemini CLI',
    code: ({ url, key, model }) => `# ~/.gemini/settings.json
{ "security": { "auth": { "selectedType": "gemini-api-key" } } }

# in the shell
export GOOGLE_GEMINI_BASE_URL="${url}"
export GEMINI_API_KEY="${key}"
gemini --model ${model}`,
  },
  {
    key: 'env',
    name: '.env',
    code: ({ url, key, model }) => `OPENAI_BASE_URL=${url}/v1
OPENAI_API_KEY=${key}
OPENAI_MODEL=${model}`,
  },
];

export function snippetsFor(facts: SnippetFacts): Snippet[] {
  return ROWS.map(({ key, name, code }) => ({
    key,
    name,
    code: code(facts),
  }));
}

/** Used in a snippet if no model is known. */
export const ANY_MODEL = 'gpt-4o-mini';

/** A chat model for the test call: one the token may call, preferably the default. */
export function firstModel(models: readonly string[]): string | undefined {
  const isOther = /embed|whisper|tts|dall-e|image|moderation|rerank|^mj_|suno|audio|realtime/i;
  const chats = models.filter((model) => !isOther.test(model));
  return chats.find((model) => model === ANY_MODEL) ?? chats[0] ?? models[0];
}
