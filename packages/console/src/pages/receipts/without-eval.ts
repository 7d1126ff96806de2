/** zod asks whether it may compile code, and the page's policy reports the question: it is told not to ask. */
import { config } from 'zod';

config({ jitless: true });
