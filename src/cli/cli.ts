/** The object that commands work with: API calls, terminal, and behavior shared by all commands. */

import { Chalk, type ChalkInstance } from 'chalk';
import type { Config, ConfigFlags } from '../config.ts';
import { AppError, asAppError } from '../domain/errors/errors.ts';
import { QUOTA_PER_UNIT } from '../domain/pricing/quota-text.ts';
import { errorText, type Language, type Translate, translator } from '../locales/text.ts';
import type { HttpOptions, Server } from '../session/http.ts';
import type { LocalApi, Session } from '../session/session.ts';
import { Values, withoutLastLineBreak } from '../session/values.ts';
import type { Globals } from './command-context.ts';
import { type Change, planDocument, planText } from './output/dry-run-plan.ts';
import { countOf, FORMATS, type Format, isPage, render, type View } from './output/render-reply.ts';
import { warningsIn } from './output/warnings.ts';
import { EarlyExit } from './process/early-exit.ts';
import { EXIT } from './process/exit-codes.ts';
import type { Io, PromptChoice, TextQuestion } from './process/process-io.ts';

export interface SecretSource {
  readonly env?: string;
  readonly file?: string;
  readonly stdin?: boolean;
}

/** Errors for callers of the API, which do not reveal the fault that caused them. */
const COVERS_FAULTS: ReadonlySet<string> = new Set(['internal', 'database_not_writable']);

export interface SessionOptions {
  readonly migrate?: boolean;
  /** Disables all logging, because log output would corrupt the dashboard. */
  readonly silent?: boolean;
  /** The command asks about the impact of its calls itself. */
  readonly asksItself?: boolean;
}

export interface OpenedSession {
  readonly session: Session;
  readonly server: Server | undefined;
}

export class Cli {
  readonly io: Io;
  readonly language: Language;
  readonly t: Translate;
  readonly values: Values;
  readonly paint: ChalkInstance;
  globals: Globals = {};
  /** The configuration that was loaded last. */
  #config: Config | undefined;
  #session: Promise<Session> | undefined;
  #server: Promise<Server | undefined> | undefined;

  /** @param opened a session that is open already, and asks about the impact of its calls itself */
  constructor(io: Io, language: Language, opened?: OpenedSession) {
    this.#session = opened && Promise.resolve(opened.session);
    this.#server = opened && Promise.resolve(opened.server);
    this.io = io;
    this.language = language;
    this.t = translator(language);
    this.values = new Values(this.t);
    this.paint = new Chalk({ level: io.color ? 1 : 0 });
  }

  /** @throws AppError `config_invalid`. */
  async config(flags: ConfigFlags = {}): Promise<Config> {
    const { db, data, debug, verbose } = this.globals;
    const { loadSettings } = await import('./local/local-config.ts');
    const level = debug ? 'debug' : verbose ? 'info' : undefined;
    this.#config = await loadSettings(
      { database: db, dataDir: data, logLevel: level, ...flags },
      this.io.env,
    );
    return this.#config;
  }

  /** The error to show: a fault of the disk, the files or the database of this machine is named. */
  async errorOf(thrown: unknown): Promise<AppError> {
    const isKnown = thrown instanceof AppError && !COVERS_FAULTS.has(thrown.code);
    if (isKnown || this.#config === undefined) return asAppError(thrown);
    const { asEnvironmentError } = await import('../environment-error.ts');
    return asAppError(asEnvironmentError(this.#config, thrown));
  }

  /** Opened at first use, closed when the command ends. */
  session(options: SessionOptions = {}): Promise<Session> {
    this.#session ??= this.#open(options);
    return this.#session;
  }

  async #open({ asksItself = false, ...options }: SessionOptions): Promise<Session> {
    const session = await this.#openApi(options);
    if (asksItself || this.globals.force) return session;
    const { askingSession } = await import('../session/impact-question.ts');
    return askingSession(session, (impact) => this.#agreesTo(impact));
  }

  async #agreesTo(impact: AppError): Promise<boolean> {
    const text = errorText(impact, this.language);
    return this.mayAsk() && this.io.confirm(this.t('cli.ask.impact', { text }));
  }

  async #openApi({ silent = false, ...options }: SessionOptions): Promise<Session> {
    const server = await this.server();
    if (server !== undefined) {
      const { openRemote } = await import('../session/remote-session.ts');
      return openRemote(server, this.http(), () => this.#ownPassword());
    }
    const { debug, verbose } = this.globals;
    // Start-up log entries are noise beside a command's output.
    const quiet = debug || verbose ? {} : { logLevel: silent ? 'silent' : 'error' };
    const [config, { openApiSession }] = await Promise.all([
      this.config(quiet),
      import('../session/session.ts'),
    ]);
    return openApiSession(config, { language: this.language, ...options });
  }

  /** The remote server, or undefined when this machine's own database is used. */
  server(): Promise<Server | undefined> {
    // Resolved once: a token from stdin can be read only once.
    this.#server ??= import('./servers/select-server.ts').then(({ serverOf }) => serverOf(this));
    return this.#server;
  }

  http(): HttpOptions {
    const { verbose, debug, retries } = this.globals;
    return {
      language: this.language,
      retries: retries === undefined ? 2 : this.values.wholeNumber('--retries', retries),
      signal: this.io.signal,
      ...((verbose || debug) && { onRequest: (line: string) => this.io.err(`${line}\n`) }),
    };
  }

  /** For calls that require the account's password on a remote server. */
  async #ownPassword(): Promise<string | undefined> {
    const { GATEWAY_PASSWORD } = this.io.env;
    if (GATEWAY_PASSWORD !== undefined || !this.mayAsk()) return GATEWAY_PASSWORD;
    return given(await this.io.askSecret(this.t('cli.ask.own_password')));
  }

  async api(): Promise<LocalApi> {
    return (await this.session()).api;
  }

  async close(): Promise<void> {
    const session = await this.#session?.catch(() => undefined);
    await session?.close();
  }

  /** Prints a note for the user, on stderr. */
  note(text: string): void {
    if (!this.globals.quiet) this.io.err(`${text}\n`);
  }

  /** Whether the output is a table for people, not a document for programs. */
  isTableOutput(): boolean {
    return ['table', 'wide'].includes(this.format());
  }

  format(): Format {
    const { json, output } = this.globals;
    if (output === undefined) return json ? 'json' : 'table';
    return this.values.choice('--output', output, FORMATS);
  }

  /** Prints a command's result on stdout, in the requested format. */
  async print(reply: unknown, view: View, { hasHeader = false } = {}): Promise<void> {
    const { io, globals } = this;
    const format = this.format();
    const text = await render(reply, view, {
      format,
      quotaPerUnit: await this.#quotaPerUnit(),
      // A pipe gets tables only if they are asked for.
      isAligned: io.isTTY || globals.output !== undefined,
      hasHeader,
      width: io.isTTY ? io.width : Number.POSITIVE_INFINITY,
      dim: this.paint.dim,
      ...(globals.fields !== undefined && { fields: this.values.list(globals.fields) }),
      unknownField: (field, known) =>
        this.values.refuse('--fields', 'unknown_field', { field, known }),
    });
    const count = countOf(reply);
    const isInteractive = io.isTTY && this.isTableOutput();
    if (count === 0 && isInteractive) return this.note(this.t('cli.notes.nothing'));
    io.out(text);
    if (isInteractive && isPage(reply) && reply.total > reply.items.length) {
      this.note(this.t('cli.notes.part_of', { count: reply.items.length, total: reply.total }));
    }
  }

  /** Prints one of several tables for people, under a heading. */
  async printSection(heading: string, reply: unknown, view: View): Promise<void> {
    this.io.out(`\n${this.paint.bold(heading)}\n`);
    await this.print(reply, view, { hasHeader: true });
  }

  /** The site's value; the default without a session, when no amounts are shown. */
  async #quotaPerUnit(): Promise<number> {
    const session = await this.#session?.catch(() => undefined);
    return session?.quotaPerUnit ?? QUOTA_PER_UNIT;
  }

  /** Ends a command that has no object to print: a sentence, or a document for programs. */
  async done(noun: string, name: string, verb: 'deleted' | 'changed'): Promise<void> {
    if (this.format() === 'table') return this.note(this.t(`cli.done.${verb}`, { noun, name }));
    await this.print({ noun, name, [verb]: true }, { columns: ['noun', 'name', verb], id: 'name' });
  }

  /**
   * Runs a write; with `--dry-run` it only simulates it, prints the plan and returns `undefined`.
   * Destructive changes ask for confirmation first.
   */
  async change<T>(change: Change, work: (api: LocalApi) => Promise<T>): Promise<T | undefined> {
    const session = await this.session();
    if (this.globals.dryRun) {
      const after = await session.dryRun(work);
      this.showPlan(change, after);
      this.#warn(after);
      return undefined;
    }
    if (change.loses !== undefined)
      await this.confirm(`${change.noun} ${change.name}`, change.loses);
    const reply = await work(session.api);
    this.#warn(reply);
    return reply;
  }

  #warn(reply: unknown): void {
    for (const message of warningsIn(reply)) this.note(this.t('cli.notes.warning', { message }));
  }

  /** Runs a write like `change` and prints its reply. */
  async changeAndPrint(
    change: Change,
    work: (api: LocalApi) => Promise<unknown>,
    view: View,
  ): Promise<void> {
    const reply = await this.change(change, work);
    if (reply !== undefined) await this.print(reply, view);
  }

  /** Prints the plan of `--dry-run`. */
  showPlan(change: Change, after: unknown): void {
    this.printDocument(planDocument(change, after), planText);
    this.note(this.t('cli.notes.dry_run'));
  }

  /** Prints a document as text for people, or as JSON for programs. */
  printDocument<T>(document: T, textOf: (document: T) => string): void {
    const isTable = this.isTableOutput();
    this.io.out(isTable ? textOf(document) : `${JSON.stringify(document, null, 2)}\n`);
  }

  /** The content of a text file, or of stdin for `-`. */
  async fileText(name: string, path: string): Promise<string> {
    if (path !== '-') return this.values.file(name, path);
    return withoutLastLineBreak(await this.io.readStdin());
  }

  /** The argument itself, the content of `@file`, or stdin for `-`. */
  async textOrFile(name: string, text: string): Promise<string> {
    if (text === '-') return this.fileText(name, text);
    return text.startsWith('@') ? this.values.file(name, text.slice(1)) : text;
  }

  /** @throws AppError `confirm_needed` without a terminal; `EarlyExit` when the user declines. */
  async confirm(what: string, consequence: string): Promise<void> {
    if (this.globals.yes) return;
    if (!this.mayAsk()) throw new AppError('confirm_needed', { what });
    if (await this.io.confirm(`${what}: ${consequence}`)) return;
    this.note(this.t('cli.notes.left_alone'));
    throw new EarlyExit(EXIT.failed);
  }

  mayAsk(): boolean {
    return this.io.canAsk && this.globals.input !== false;
  }

  /** @throws AppError `prompt_needed` naming the flag without an interactive terminal. */
  async ask(what: string, flag: string, question: TextQuestion = {}): Promise<string> {
    if (!this.mayAsk()) throw new AppError('prompt_needed', { what, flag });
    return given(await this.io.ask(what, question));
  }

  /** One of `choices`. @throws AppError `prompt_needed` naming the flag without a terminal. */
  async choose(
    what: string,
    flag: string,
    choices: readonly PromptChoice[],
    initial?: string,
  ): Promise<string> {
    if (!this.mayAsk()) throw new AppError('prompt_needed', { what, flag });
    const noMatch = this.t('cli.ask.no_match');
    return given(await this.io.choose(what, { choices, initial, noMatch }));
  }

  /**
   * Reads a secret from the source given by flags, otherwise by prompt; never from the command
   * line, which other users of the machine can read. Returns `undefined` when no flag was given and
   * it `isOptional`.
   */
  async secret(
    what: string,
    source: SecretSource,
    flags: string,
    ask: 'ask' | 'optional',
  ): Promise<string | undefined> {
    if (source.env !== undefined) return this.#secretFromEnv(source.env);
    if (source.file !== undefined) return this.values.file('--key-file', source.file);
    if (source.stdin) return withoutLastLineBreak(await this.io.readStdin());
    if (ask === 'optional') return undefined;
    if (!this.mayAsk()) throw new AppError('prompt_needed', { what, flag: flags });
    return given(await this.io.askSecret(what));
  }

  /** A password of an account, from stdin or typed twice; asked again until both are equal. */
  async newPassword(stdin: boolean, problemOf: TextQuestion['problemOf']): Promise<string> {
    if (stdin) return withoutLastLineBreak(await this.io.readStdin());
    const what = this.t('cli.ask.password');
    if (!this.mayAsk()) throw new AppError('prompt_needed', { what, flag: '--password-stdin' });
    for (;;) {
      const first = given(await this.io.askSecret(what, { problemOf }));
      const second = given(await this.io.askSecret(this.t('cli.ask.again', { what })));
      if (second === first) return first;
      this.io.err(`${errorText(new AppError('passwords_differ'), this.language)}\n`);
    }
  }

  #secretFromEnv(name: string): string {
    const value = this.io.env[name];
    if (!value) throw this.values.refuse('--key-env', 'env', { name });
    return value;
  }
}

/** No answer means that the user cancelled (Ctrl-C at the prompt). */
function given(answer: string | undefined): string {
  if (answer === undefined) throw new EarlyExit(EXIT.interrupted);
  return answer;
}
