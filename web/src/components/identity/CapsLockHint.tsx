import { Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

/** Warns while Caps Lock is on, because a password field hides it. */
export function CapsLockHint() {
  const { t } = useTranslation();
  const [isOn, setOn] = useState(false);
  useEffect(() => {
    const look = (event: KeyboardEvent) => setOn(event.getModifierState('CapsLock'));
    window.addEventListener('keydown', look);
    window.addEventListener('keyup', look);
    return () => {
      window.removeEventListener('keydown', look);
      window.removeEventListener('keyup', look);
    };
  }, []);
  return (
    <Text size="xs" c="var(--tone-yellow-text)" aria-live="polite" mih={isOn ? undefined : 0}>
      {isOn ? t('part.password.capsLock') : ''}
    </Text>
  );
}
