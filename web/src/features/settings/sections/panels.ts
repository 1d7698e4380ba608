/** Panels of sections besides, or instead of, the fields of their options. */
import type { ComponentType } from 'react';
import { DestinationsPanel } from '../alerts/DestinationsPanel.tsx';
import { AdvancedPanel } from '../panels/AdvancedPanel.tsx';
import { AuditPanel } from '../panels/AuditPanel.tsx';
import { ChatsEditor } from '../panels/ChatsEditor.tsx';
import { ClearLogs } from '../panels/ClearLogs.tsx';
import { GroupsEditor } from '../panels/GroupsEditor.tsx';
import { JobsPanel } from '../panels/JobsPanel.tsx';
import { LogoPreview } from '../panels/LogoPreview.tsx';
import {
  CodeDanger,
  GithubFacts,
  LimitSentence,
  LinuxdoFacts,
  OidcFacts,
  PaymentServer,
} from '../panels/SectionIntros.tsx';
import { TestMail } from '../panels/TestMail.tsx';
import { VersionPanel } from '../panels/VersionPanel.tsx';
import { WordTester } from '../panels/WordTester.tsx';
import { PresetsPanel } from '../prices/PresetsPanel.tsx';
import { PricesPanel } from '../prices/PricesPanel.tsx';
import type { SectionName } from './tabs.ts';

interface Panel {
  readonly Before?: ComponentType;
  /** Replaces the fields. */
  readonly Instead?: ComponentType;
  readonly After?: ComponentType;
  /** Saves by itself, so the section has no footer. */
  readonly hasOwnSave?: boolean;
}

export const SECTION_PANELS: Partial<Record<SectionName, Panel>> = {
  sensitive: { After: WordTester },
  logs: { After: ClearLogs },
  chats: { Instead: ChatsEditor },
  groups: { Instead: GroupsEditor },
  presets: { After: PresetsPanel },
  prices: { Instead: PricesPanel, hasOwnSave: true },
  limit: { Before: LimitSentence },
  payment: { Before: PaymentServer },
  smtp: { After: TestMail },
  alerts: { Instead: DestinationsPanel, hasOwnSave: true },
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
