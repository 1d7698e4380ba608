/**
 * Programs that can be pointed at a gateway: how `gateway run` starts them, and the snippets that
 * configure them for good. A run changes none of their files.
 */
export interface Target {
  /** Without a trailing slash. */
  readonly url: string;
  readonly key: string;
  readonly model: string;
  /** For titles, summaries and other small tasks. */
  readonly smallModel: string;
}

export interface Launch {
  readonly command: string;
  /** Precede the user's own arguments. */
  readonly args: readonly string[];
  /** An empty value removes a variable that would take precedence. */
  readonly env: Readonly<Record<string, string>>;
  readonly settings?: ClientSettings;
  /** Values of a TOML file, which `-c` sets for one run. */
  readonly toml?: { readonly file: string; readonly values: Readonly<Record<string, string>> };
}

/** Settings that a client reads only from a file in its home folder. */
export interface ClientSettings {
  /** Environment variable that overrides the home folder. */
  readonly variable: string;
  readonly folder: string;
  readonly file: string;
  readonly values: object;
}

interface CodingClient {
  readonly title: string;
  /** Models that fit, the best first; any chat model works. */
  readonly fitting: readonly RegExp[];
  readonly launch: (target: Target) => Launch;
}

/** Where a site has no model of the family that a client is made for. */
const GENERAL = [
  /^claude-sonnet/,
  /^gpt-\d(\.\d+)?$/,
  /^gpt-4o/,
  /^gemini-.*pro/,
  /^(gpt|claude)-/,
];

const ROWS = {
  /** code.claude.com/docs, LLM gateway configuration. */
  claude: {
    title: 'Claude Code',
    fitting: [/^claude-sonnet/, /^claude/],
    launch: ({ url, key, model, smallModel }) => ({
      command: 'claude',
      args: [],
      env: {
        // Would override the token.
        ANTHROPIC_API_KEY: '',
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_AUTH_TOKEN: key,
        ANTHROPIC_MODEL: model,
        ANTHROPIC_DEFAULT_HAIKU_MODEL: smallModel,
      },
    }),
  },
  /** developers.openai.com/codex/config-reference: supports only Responses. */
  codex: {
    title: 'Codex',
    fitting: [/^gpt-\d.*codex$/, /^gpt-\d(\.\d+)?$/, /^gpt-/],
    launch: ({ url, key, model }) => ({
      command: 'codex',
      args: [],
      env: { GATEWAY_API_KEY: key },
      toml: {
        file: '~/.codex/config.toml',
        values: {
          model,
          // Must not be the name of a built-in provider.
          model_provider: 'gateway',
          'model_providers.gateway.name': 'AI Model Gateway',
          'model_providers.gateway.base_url': `${url}/v1`,
          'model_providers.gateway.env_key': 'GATEWAY_API_KEY',
          'model_providers.gateway.wire_api': 'responses',
        },
      },
    }),
  },
  /** Gemini CLI's configuration reference: plain HTTP is allowed only to this machine. */
  gemini: {
    title: 'Gemini CLI',
    fitting: [/^gemini-.*pro/, /^gemini/],
    launch: ({ url, key, model }) => ({
      command: 'gemini',
      args: ['--model', model],
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
  },
  /** opencode.ai/docs/config: inline settings are merged over those from files. */
  opencode: {
    title: 'opencode',
    fitting: GENERAL,
    launch: ({ url, key, model, smallModel }) => ({
      command: 'opencode',
      args: [],
      env: {
        GATEWAY_API_KEY: key,
        OPENCODE_CONFIG_CONTENT: JSON.stringify({
          model: `gateway/${model}`,
          small_model: `gateway/${smallModel}`,
          provider: {
            gateway: {
              npm: '@ai-sdk/openai-compatible',
              name: 'AI Model Gateway',
              options: { baseURL: `${url}/v1`, apiKey: '{env:GATEWAY_API_KEY}' },
              models: { [model]: {}, [smallModel]: {} },
            },
          },
        }),
      },
    }),
  },
  /** qwenlm.github.io/qwen-code-docs, authentication. */
  qwen: {
    title: 'Qwen Code',
    fitting: [/^qwen.*coder/, /^qwen/],
    launch: ({ url, key, model }) => ({
      command: 'qwen',
      args: ['--auth-type', 'openai', '--model', model],
      env: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key },
    }),
  },
  /** aider.chat/docs/llms/openai-compat.html */
  aider: {
    title: 'aider',
    fitting: GENERAL,
    launch: ({ url, key, model, smallModel }) => ({
      command: 'aider',
      args: ['--model', `openai/${model}`, '--weak-model', `openai/${smallModel}`],
      env: { OPENAI_API_BASE: `${url}/v1`, OPENAI_API_KEY: key },
    }),
  },
  /** block.github.io/goose, providers. */
  goose: {
    title: 'goose',
    fitting: GENERAL,
    launch: ({ url, key, model }) => ({
      command: 'goose',
      args: [],
      env: {
        GOOSE_PROVIDER: 'openai',
        GOOSE_MODEL: model,
        OPENAI_HOST: url,
        OPENAI_API_KEY: key,
      },
    }),
  },
} as const satisfies Record<string, CodingClient>;

export type Client = keyof typeof ROWS;
export const CLIENTS = Object.keys(ROWS) as readonly Client[]; // the keys of a constant table

export function clientTitle(client: Client): string {
  return ROWS[client].title;
}

export function buildLaunch(client: Client, target: Target): Launch {
  return ROWS[client].launch(target);
}

/** Any other program: the variables that SDKs and tools read. */
export function launchOfProgram(command: string, { url, key, model }: Target): Launch {
  return {
    command,
    args: [],
    env: {
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_BASE: `${url}/v1`,
      OPENAI_API_KEY: key,
      OPENAI_MODEL: model,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: key,
      ANTHROPIC_MODEL: model,
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_API_KEY: key,
    },
  };
}

const NOT_CHAT =
  /instruct|embed|whisper|tts|dall-e|image|moderation|rerank|^mj_|suno|audio|realtime|transcribe|veo|sora/i;

export function chatModels(models: readonly string[]): string[] {
  return models.filter((model) => !NOT_CHAT.test(model));
}

/** The newest model of the best fitting family, else the first chat model. */
export function fittingModel(client: Client | undefined, models: readonly string[]) {
  const families = [...(client === undefined ? [] : ROWS[client].fitting), ...GENERAL];
  return newestModel(families, chatModels(models)) ?? chatModels(models)[0] ?? models[0];
}

const SMALL = [/haiku/, /flash-lite/, /flash/, /nano/, /mini(?!max)/, /small/];

/** A small model of the same maker as `model`, else `model` itself. */
export function smallModelFor(model: string, models: readonly string[]): string {
  const maker = /^[a-z]+/i.exec(model)?.[0] ?? '';
  const same = chatModels(models).filter((name) => name.startsWith(maker));
  return newestModel(SMALL, same) ?? model;
}

function newestModel(families: readonly RegExp[], models: readonly string[]): string | undefined {
  const family = families.find((pattern) => models.some((model) => pattern.test(model)));
  const members = models.filter((model) => family?.test(model));
  return members.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))[0];
}

/** What to write into files and the shell. */
export function clientSnippet(client: Client, target: Target): string {
  const { command, args, env, settings, toml } = buildLaunch(client, target);
  const files = [
    ...(toml === undefined ? [] : [`# ${toml.file}`, ...tomlLines(toml.values), '']),
    ...(settings === undefined
      ? []
      : [`# ~/${settings.folder}/${settings.file}`, JSON.stringify(settings.values), '']),
  ];
  const shell = Object.entries(env).map(([name, value]) =>
    value === '' ? `unset ${name}` : `export ${name}=${quoted(value)}`,
  );
  const inShell = files.length === 0 ? [] : ['# in the shell'];
  return [...files, ...inShell, ...shell, [command, ...args].join(' ')].join('\n');
}

/** A JSON string is a TOML string too. */
export function tomlLines(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
}

function quoted(value: string): string {
  return value.includes('"') ? `'${value}'` : `"${value}"`;
}
