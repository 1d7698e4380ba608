/** Configuration snippets that point clients of supported endpoints at this gateway. */
export const SNIPPETS = [
  'curl',
  'python',
  'node',
  'env',
  'claude-code',
  'codex',
  'gemini',
] as const;

interface Facts {
  /** Without `/v1` and without a trailing slash. */
  readonly url: string;
  readonly key: string;
  readonly model: string;
}

const TEXTS: Readonly<Record<(typeof SNIPPETS)[number], (facts: Facts) => string>> = {
  curl: ({ url, key, model }) => `curl ${url}/v1/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "${model}", "messages": [{"role": "user", "content": "Hello"}]}'
`,
  python: ({ url, key, model }) => `from openai import OpenAI

client = OpenAI(base_url="${url}/v1", api_key="${key}")
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)
`,
  node: ({ url, key, model }) => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${url}/v1', apiKey: '${key}' });
const answer = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.choices[0].message.content);
`,
  env: ({ url, key }) => `OPENAI_BASE_URL=${url}/v1
OPENAI_API_KEY=${key}
`,
  'claude-code': ({ url, key, model }) => `ANTHROPIC_BASE_URL=${url}
ANTHROPIC_AUTH_TOKEN=${key}
ANTHROPIC_MODEL=${model}
`,
  // developers.openai.com/codex/config-reference: Codex supports only Responses.
  codex: ({ url, key, model }) => `# ~/.codex/config.toml
model = "${model}"
model_provider = "gateway"

[model_providers.gateway]
name = "AI Model Gateway"
base_url = "${url}/v1"
env_key = "GATEWAY_API_KEY"
wire_api = "responses"

# in the shell: export GATEWAY_API_KEY=${key}
`,
  // Without the setting Gemini CLI refuses a base URL: "Invalid auth method selected".
  gemini: ({ url, key }) => `# ~/.gemini/settings.json
{ "security": { "auth": { "selectedType": "gemini-api-key" } } }

# in the shell
export GOOGLE_GEMINI_BASE_URL=${url}
export GEMINI_API_KEY=${key}
`,
};

export function snippetOf(form: (typeof SNIPPETS)[number], facts: Facts): string {
  return TEXTS[form](facts);
}

/** URL at which this machine reaches a server that listens on `host`. */
export function localUrl(host: string, port: number): string {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const name = isEverywhere ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
