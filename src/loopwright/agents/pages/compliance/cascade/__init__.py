"""The part of CSS that compliance needs: which value a property has on an element of a 430 by 932 pixel phone."""
