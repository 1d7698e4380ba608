import { IconLockOpen } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../../components/display/Notice.tsx';
import { SideButton } from '../../../components/display/SideButton.tsx';
import classes from '../Settings.module.css';

interface UnlockFieldProps {
  readonly children: (isLocked: boolean) => ReactNode;
}

/** A field that must be unlocked, to prevent accidental changes. */
export function UnlockField({ children }: UnlockFieldProps) {
  const { t } = useTranslation();
  const [isLocked, setLocked] = useState(true);
  return (
    <div className={classes.stack}>
      {children(isLocked)}
      {isLocked ? (
        <div>
          <SideButton
            size="compact-sm"
            icon={IconLockOpen}
            label={t('setting.unlock')}
            onClick={() => setLocked(false)}
          />
        </div>
      ) : (
        <Notice tone="yellow">{t('setting.unlock.hint')}</Notice>
      )}
    </div>
  );
}
