import { Anchor, Group, Modal, ScrollArea, Stack } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router-dom';
import { csvText } from '../../../components/charts/chart-data.ts';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { StateTag } from '../../../components/display/StatusBadge.tsx';
import { saveText } from '../../../lib/browser/save-file.ts';
import { dateText } from '../../../lib/text/dates.ts';
import classes from './ResultsDialog.module.css';

export interface ChannelResult {
  readonly id: number;
  readonly name: string;
  readonly isOk: boolean;
  /** The job disabled the channel. */
  readonly isSwitchedOff: boolean;
  /** The time, the balance, or the error. */
  readonly text: string;
  /** The same in full, as columns of the exported file. */
  readonly exported: Readonly<Record<string, string | number>>;
}

export interface ResultsPanel {
  readonly results: readonly ChannelResult[];
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

interface ResultsDialogProps extends ResultsPanel {
  readonly title: string;
  /** Actions on one result. */
  readonly rowTools?: (result: ChannelResult) => ReactNode;
  /** Actions on all results, beside the export. */
  readonly tools?: ReactNode;
}

/** Results of a job over all channels, failures first. */
export function ResultsDialog(props: ResultsDialogProps) {
  const { title, results, isOpen, onClose, rowTools, tools } = props;
  const { t } = useTranslation();
  const ok = results.filter(({ isOk }) => isOk).length;
  const off = results.filter(({ isSwitchedOff }) => isSwitchedOff).length;
  const sorted = [...results].sort((a, b) => Number(a.isOk) - Number(b.isOk));
  const summary = [
    t('channel.results.summary', { ok, failed: results.length - ok }),
    off > 0 && t('channel.testAll.switchedOff', { count: off }),
  ];
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} size={820}>
      <Stack gap="sm">
        <Dimmed size="sm" aria-live="polite">
          {summary.filter(Boolean).join(' · ')}
        </Dimmed>
        <ScrollArea.Autosize mah="60dvh" tabIndex={0} aria-label={title}>
          {sorted.map((result) => (
            <ResultRow key={result.id} result={result} onLeave={onClose}>
              {rowTools?.(result)}
            </ResultRow>
          ))}
        </ScrollArea.Autosize>
        <Group justify="flex-end">
          <SideButton
            icon={IconDownload}
            disabled={results.length === 0}
            label={t('channel.results.export')}
            onClick={() => save(sorted)}
          />
          {tools}
        </Group>
      </Stack>
    </Modal>
  );
}

interface ResultRowProps {
  readonly result: ChannelResult;
  readonly onLeave: () => void;
  readonly children: ReactNode;
}

function ResultRow({ result, onLeave, children }: ResultRowProps) {
  const { t } = useTranslation();
  const { id, name, isOk, isSwitchedOff, text } = result;
  return (
    <div className={classes.row}>
      <div className={classes.state}>
        <StateTag tone={isOk ? 'green' : 'red'} shape={isOk ? 'dot' : 'warning'}>
          {t(isOk ? 'channel.results.ok' : 'channel.results.failed')}
        </StateTag>
        {isSwitchedOff && (
          <StateTag tone="yellow" shape="slash">
            {t('channel.results.switchedOff')}
          </StateTag>
        )}
      </div>
      <ChannelLink id={id} name={name} onLeave={onLeave} />
      <Dimmed size="sm" className={classes.text}>
        {text}
      </Dimmed>
      <div className={classes.tools}>{children}</div>
    </div>
  );
}

/** Opens the channel beside the list, which keeps its filters. */
function ChannelLink({ id, name, onLeave }: Pick<ChannelResult, 'id' | 'name'> & LinkProps) {
  const [query] = useSearchParams();
  const next = new URLSearchParams(query);
  next.set('id', String(id));
  return (
    <Anchor component={Link} to={`?${next}`} fw={500} className={classes.name} onClick={onLeave}>
      {name || `#${id}`}
    </Anchor>
  );
}

interface LinkProps {
  readonly onLeave: () => void;
}

function save(results: readonly ChannelResult[]): void {
  const [first] = results;
  if (first === undefined) return;
  const head = Object.keys(first.exported);
  const rows = results.map(({ exported }) => head.map((name) => exported[name] ?? ''));
  const day = dateText(Math.floor(Date.now() / 1000));
  saveText(`channel-tests-${day}.csv`, csvText(head, rows), 'text/csv');
}
