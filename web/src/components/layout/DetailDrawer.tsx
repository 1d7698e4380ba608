import { Drawer, Group, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconChevronDown, IconChevronUp, IconLink } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsPhone } from '../../lib/display/screen.ts';
import { useCopied } from '../display/copy.tsx';
import { ToolButton } from '../display/ToolButton.tsx';
import classes from './drawers.module.css';
import { useHasPopup } from './popup-layer.ts';

interface DetailDrawerProps {
  /** Id of the record shown; '' is closed. Usually `state.id` of the screen's URL state. */
  readonly id: string;
  /** Called with another record's id, or '' to close. */
  readonly onId: (id: string) => void;
  /** Ids of the page in order, for previous (k) and next (j). */
  readonly ids: readonly string[];
  readonly title: ReactNode;
  /** Pixels; 640 by default. */
  readonly width?: number;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A detail drawer for one record of a list, with its own link. */
export function DetailDrawer({
  id,
  onId,
  ids,
  title,
  width = 640,
  actions,
  children,
}: DetailDrawerProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const hasPopup = useHasPopup();
  const index = ids.indexOf(id);
  const go = (step: number) => {
    const next = index < 0 ? undefined : ids[index + step];
    if (next !== undefined) onId(next);
  };
  useHotkeys(
    id === ''
      ? []
      : [
          ['j', () => go(1)],
          ['k', () => go(-1)],
        ],
  );
  return (
    <Drawer
      opened={id !== ''}
      onClose={() => onId('')}
      size={isPhone ? '100%' : width}
      classNames={classes}
      closeOnEscape={!hasPopup}
      title={
        <Group gap={4} wrap="nowrap">
          <Text fw={600} fz="lg" truncate mr="auto">
            {title}
          </Text>
          <ToolButton
            label={t('common.previousKey')}
            disabled={index <= 0}
            onClick={() => go(-1)}
            icon={IconChevronUp}
            iconSize={18}
          />
          <ToolButton
            label={t('common.nextKey')}
            disabled={index < 0 || index >= ids.length - 1}
            onClick={() => go(1)}
            icon={IconChevronDown}
            iconSize={18}
          />
          <CopyLink />
        </Group>
      }
    >
      <div className={classes.fields}>{children}</div>
      {actions !== undefined && (
        <Group className={classes.footer} justify="flex-end">
          {actions}
        </Group>
      )}
    </Drawer>
  );
}

function CopyLink() {
  const { t } = useTranslation();
  const { isCopied, copy } = useCopied();
  const label = isCopied ? t('action.copied') : t('common.copyLink');
  return (
    <ToolButton
      label={label}
      onClick={() => void copy(window.location.href)}
      icon={IconLink}
      iconSize={18}
    />
  );
}
