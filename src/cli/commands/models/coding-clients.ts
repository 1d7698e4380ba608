/**
 * Clients that can be pointed at a gateway for one run, only by environment and flags: none of
 * their files is changed.
 */
export interface Target {
  /** Without a trailing slash. */
  readonly url: string;
  readonly key: string;
  readonly model: string | undefined;
}

export interface Launch {
  readonly command: string;
  /** Precede the user's own arguments. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly settings?: ClientSettings;
}

/** Settings that a client reads only from a file in its home folder. */
export interface ClientSettings {
  /** Environment variable that overrides the home folder. */
  readonly variable: string;
  readonly folder: string;
  readonly file: string;
  readonly values: object;
}

export const CLIENTS = ['claude', 'codex', 'gemini', 'opencode'] as const;
export type Client = (typeof CLIENTS)[number];

const LAUNCHES: Readonly<Record<Client, (target: Target) => Launch>> = {
  /** code.claude.com/docs, LLM gateway configuration. */
  claude: ({ url, key, model }) => ({
    command: 'claude',
    args: [],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: key,
      ...(model !== undefined && { ANTHROPIC_MODEL: model }),
    },
  }),
  /** developers.openai.com/codex/config-reference: supports only Responses; values are TOML. */
  codex: ({ url, key, model }) => ({
    command: 'codex',
    args: [
      ...['model_provider="gateway"', 'model_providers.gateway.name="AI Model Gateway"'],
      `model_providers.gateway.base_url="${url}/v1"`,
      ...['model_providers.gateway.env_key="GATEWAY_API_KEY"'],
      ...['model_providers.gateway.wire_api="responses"'],
      ...(model === undefined ? [] : [`model=${JSON.stringify(model)}`]),
    ].flatMap((setting) => ['-c', setting]),
    env: { GATEWAY_API_KEY: key },
  }),
  /** Gemini CLI's configuration reference: plain HTTP is allowed only to this machine. */
  gemini: ({ url, key, model }) => ({
    command: 'gemini',
    args: model === undefined ? [] : ['--model', model],
    env: { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: key },
    // Without it, a base URL selects an auth type that the program then rejects. System settings
    // would be simpler, but are used only if the whole path belongs to root.
    settings: {
      variable: 'GEMINI_CLI_HOME',
      folder: '.gemini',
      file: 'settings.json',
      values: { security: { auth: { selectedType: 'gemini-api-key' } } },
    },
  }),
  /** opencode.ai/docs/config: inline settings are merged over those from files. */
  opencode: ({ url, key, model }) => ({
    command: 'opencode',
    args: [],
    env: {
      GATEWAY_API_KEY: key,
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        ...(model !== undefined && { model: `gateway/${model}` }),
        provider: {
          gateway: {
            npm: '@ai-sdk/openai-compatible',
            name: 'AI Model Gateway',
            options: { baseURL: `${url}/v1`, apiKey: '{env:GATEWAY_API_KEY}' },
            models: model === undefined ? {} : { [model]: {} },
          },
        },
      }),
    },
  }),
};

export function launchOf(client: Client, target: Target): Launch {
  return LAUNCHES[client](target);
}
