import { Button, Popover, Stack } from '@mantine/core';
import { IconCopy, IconFilter } from '@tabler/icons-react';
import type { MouseEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from '../../../components/display/copy.tsx';
import { Popup } from '../../../components/layout/Popup.tsx';
import { say } from '../../../components/layout/toasts.tsx';
import classes from '../Log.module.css';
import type { LogChoice } from './log-filter.ts';
import { UserCard } from './UserCard.tsx';

/** The value of an entry on which the menu was opened. */
export interface Pick {
  readonly patch: Partial<LogChoice>;
  readonly text: string;
  /** If set, the menu shows this account above its items. */
  readonly userId?: number;
}

export interface Picked extends Pick {
  readonly place: DOMRect;
}

export type OnPick = (event: MouseEvent, pick: Pick) => void;

interface CellMenuProps {
  readonly picked: Picked | undefined;
  readonly onClose: () => void;
  readonly onFilter: (patch: Partial<LogChoice>) => void;
}

/** Actions on a cell's value: one menu for all cells, because a page has a thousand of them. */
export function CellMenu({ picked, onClose, onFilter }: CellMenuProps) {
  const { t } = useTranslation();
  return (
    <Popup
      isOpen={picked !== undefined}
      onClose={onClose}
      position="bottom-start"
      trapFocus
      withRoles={false}
    >
      <Popover.Target>
        <span className={classes.anchor} style={placeOf(picked)} aria-hidden />
      </Popover.Target>
      <Popover.Dropdown p={6} role="dialog" aria-label={picked?.text ?? ''}>
        {picked && (
          <Stack gap={2}>
            {picked.userId !== undefined && <UserCard id={picked.userId} />}
            <Button
              variant="subtle"
              color="gray"
              justify="flex-start"
              data-autofocus
              leftSection={<IconFilter size={16} />}
              onClick={() => {
                onFilter(picked.patch);
                onClose();
              }}
            >
              {t('log.cell.filter')}
            </Button>
            <Button
              variant="subtle"
              color="gray"
              justify="flex-start"
              leftSection={<IconCopy size={16} />}
              onClick={async () => {
                onClose();
                if (await copyText(picked.text)) say.success(t('action.copied'));
              }}
            >
              {t('action.copy')}
            </Button>
          </Stack>
        )}
      </Popover.Dropdown>
    </Popup>
  );
}

function placeOf(picked: Picked | undefined) {
  if (picked === undefined) return {};
  const { left, top, width, height } = picked.place;
  return { left, top, width, height };
}
