import { Button, Menu } from '@mantine/core';
import { IconClock, IconClockHour4, IconDownload, IconPlayerPlay } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { ToolButton } from '../../../components/display/ToolButton.tsx';
import { STORED, useStored } from '../../../lib/browser/stored.ts';
import { type ExportForm, exportAddress } from '../calls.ts';
import { filterOf, type LogChoice } from './log-filter.ts';

const LIVE_STEPS_SEC = [5, 15, 60] as const;

interface LiveMenuProps {
  /** 0 is off. */
  readonly everySec: number;
  readonly isPaused: boolean;
  readonly onChange: (everySec: number) => void;
}

/** Turns automatic refresh on or off. */
export function LiveMenu({ everySec, isPaused, onChange }: LiveMenuProps) {
  const { t } = useTranslation();
  const isOn = everySec > 0;
  const text = !isOn
    ? t('log.live')
    : isPaused
      ? t('log.live.paused')
      : t('log.live.every', { seconds: everySec });
  return (
    <Menu>
      <Menu.Target>
        <Button
          variant={isOn ? 'light' : 'default'}
          color={isOn && !isPaused ? 'success' : undefined}
          leftSection={<IconPlayerPlay size={16} />}
        >
          {text}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onChange(0)} aria-current={!isOn}>
          {t('log.live.off')}
        </Menu.Item>
        {LIVE_STEPS_SEC.map((seconds) => (
          <Menu.Item
            key={seconds}
            onClick={() => onChange(seconds)}
            aria-current={everySec === seconds}
          >
            {t('log.live.every', { seconds })}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

interface ExportMenuProps {
  readonly choice: LogChoice;
  readonly isAdmin: boolean;
}

const FORMS: readonly ExportForm[] = ['csv', 'jsonl'];

/** Exports all entries of the filter, not only the page. */
export function ExportMenu({ choice, isAdmin }: ExportMenuProps) {
  const { t } = useTranslation();
  const save = (form: ExportForm) => {
    const nowSec = Math.floor(Date.now() / 1000);
    const link = document.createElement('a');
    link.href = exportAddress(isAdmin, form, filterOf(choice, isAdmin, nowSec));
    // The server names the file after its filter and dates.
    link.download = '';
    link.click();
  };
  return (
    <Menu>
      <Menu.Target>
        <ToolButton variant="default" label={t('log.export')} icon={IconDownload} />
      </Menu.Target>
      <Menu.Dropdown>
        {FORMS.map((form) => (
          <Menu.Item key={form} onClick={() => save(form)}>
            {t(`log.export.${form}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Switches between "3 min. ago" and the full time. */
export function TimeSwitch() {
  const { t } = useTranslation();
  const [isExact, setExact] = useStored(STORED.logTimesAreExact);
  const label = t(isExact ? 'log.time.relative' : 'log.time.exact');
  const Icon = isExact ? IconClockHour4 : IconClock;
  return (
    <ToolButton variant="default" label={label} onClick={() => setExact(!isExact)} icon={Icon} />
  );
}
