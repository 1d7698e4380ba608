/** What sections have beside, or in place of, the fields of their options. */
import type { ComponentType } from 'react';
import { AdvancedPanel } from './AdvancedPanel.tsx';
import { AuditPanel } from './AuditPanel.tsx';
import { ChatsEditor } from './ChatsEditor.tsx';
import { ClearLogs } from './ClearLogs.tsx';
import { GroupsEditor } from './GroupsEditor.tsx';
import { JobsPanel } from './JobsPanel.tsx';
import { LimitSentence } from './LimitSentence.tsx';
import { LogoPreview } from './LogoPreview.tsx';
import { PresetsPanel } from './PresetsPanel.tsx';
import { PricesPanel } from './PricesPanel.tsx';
import { GithubFacts, LinuxdoFacts, OidcFacts } from './ProviderFacts.tsx';
import { TestMail } from './TestMail.tsx';
import type { SectionName } from './tabs.ts';
import { VersionPanel } from './VersionPanel.tsx';
import { CodeDanger, PaymentServer } from './Warnings.tsx';
import { WordTester } from './WordTester.tsx';

interface Panel {
  readonly Before?: ComponentType;
  /** In place of the fields. */
  readonly Instead?: ComponentType;
  readonly After?: ComponentType;
  /** Saves by itself: the section has no footer. */
  readonly hasOwnSave?: boolean;
}

export const PANELS: Partial<Record<SectionName, Panel>> = {
  sensitive: { After: WordTester },
  logs: { After: ClearLogs },
  chats: { Instead: ChatsEditor },
  groups: { Instead: GroupsEditor },
  presets: { After: PresetsPanel },
  prices: { Instead: PricesPanel, hasOwnSave: true },
  limit: { Before: LimitSentence },
  payment: { Before: PaymentServer },
  smtp: { After: TestMail },
  oidc: { Before: OidcFacts },
  github: { Before: GithubFacts },
  linuxdo: { Before: LinuxdoFacts },
  version: { Instead: VersionPanel },
  logo: { After: LogoPreview },
  head: { Before: CodeDanger },
  css: { Before: CodeDanger },
  js: { Before: CodeDanger },
  jobs: { Instead: JobsPanel },
  audit: { Instead: AuditPanel },
  advanced: { Instead: AdvancedPanel },
};
